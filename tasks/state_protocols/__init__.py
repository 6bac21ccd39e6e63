"""State, aliasing and object protocols."""
