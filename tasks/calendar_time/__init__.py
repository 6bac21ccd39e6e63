"""Calendar, clocks and zones."""
