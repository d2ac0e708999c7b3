"""The plots of docs/explanation, drawn from the rule and the simulator themselves."""
