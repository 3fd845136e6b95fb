"""Decision trees whose split criterion is the subject, not a detail."""
