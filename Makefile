# The same commands as CI: see .ci/run.
.PHONY: test race fuzz bench report lint ci mutants nightly verdicts wheel-plots

test: ; go test ./...
race: ; bash .ci/run race
fuzz: ; bash .ci/run fuzz
bench: ; go test -run '^$$' -bench . -benchmem -count 6 ./... | tee new.txt; go -C bench test -run '^$$' -bench . -benchmem -count 6 ./... | tee -a new.txt
report: ; go -C bench run . report
lint: ; bash .ci/run format tidy vet staticcheck
ci: ; bash .ci/run
mutants: ; bash .ci/mutants
nightly: ; bash .ci/nightly
verdicts: ; bash .ci/verdicts
wheel-plots: ; bash bench/plot/run
