"""The use cases: where the pure rooms meet files, the store and the clock."""
