"""Hope & Korb (2004): Bayesian learners and the information reward."""
