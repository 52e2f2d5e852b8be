"""Where servers are configured, what they lack, and the file of our own."""
