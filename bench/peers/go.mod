module github.com/bufftick/bufftick/bench/peers

go 1.26.0

require github.com/bufftick/bufftick v0.0.0

require github.com/maypok86/otter/v2 v2.4.0

replace github.com/bufftick/bufftick => ../..
