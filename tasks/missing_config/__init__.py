"""Missing values, defaults and configuration."""
