"""JSON-RPC with one server, over whatever carries it."""
