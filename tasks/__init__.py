"""The Failure Map: 16 domain packages with 16 categories each, and the kit that draws tasks."""
