"""How sites and crawls are: what runs got, what dropped, what is wrong and since when.

A run's yields (`yields`) are counted when it ends (`run_end`) and compared with those of earlier runs (`past_runs`,
`drops`); what that shows (`findings`) becomes alerts (`alerts`). `status` has the figures that people read.
"""
