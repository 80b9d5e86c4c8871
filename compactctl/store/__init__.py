"""The store: snapshots, ledgers, pointers; content-addressed, private, crash-safe."""
