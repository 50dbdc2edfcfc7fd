"""What is known of each tool, as data, and what it makes of a command's words."""
