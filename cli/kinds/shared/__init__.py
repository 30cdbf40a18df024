"""What is the same in the games of all kinds."""
