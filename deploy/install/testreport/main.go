// Command testreport reads the output of `go test -json` and prints what a person wants of
// it: a line for each package, everything that failing tests wrote, and at the end
// "N passed, N failed". It exits with 1 when something failed or no test ran.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	passed, failed, err := report(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "read the output of go test:", err)
		failed++
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}

// event is one line of `go test -json`, see `go doc test2json`.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// report copies the essence of the events to out and counts tests, subtests included.
// A package that fails without a failing test (it does not build, it panics) counts as
// one failure.
func report(in io.Reader, out io.Writer) (passed, failed int, err error) {
	type key struct{ pkg, test string }
	output := map[key]*strings.Builder{}
	failures := map[string]int{}
	ran := map[string]int{}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				// What is not an event comes from the go command itself.
				fmt.Fprintf(out, "%s", line)
				continue
			}
			k := key{e.Package, e.Test}
			switch {
			case e.Action == "build-output":
				fmt.Fprint(out, e.Output)
			case e.Action == "output":
				if output[k] == nil {
					output[k] = &strings.Builder{}
				}
				output[k].WriteString(e.Output)
			case e.Action == "pass" && e.Test != "":
				passed++
				ran[e.Package]++
				delete(output, k)
			case e.Action == "fail" && e.Test != "":
				failed++
				failures[e.Package]++
				fmt.Fprintf(out, "--- %s %s\n%s", e.Package, e.Test, output[k])
				delete(output, k)
			case e.Action == "skip":
				delete(output, k)
			case e.Action == "pass":
				fmt.Fprintf(out, "ok    %s (%d tests, %.1f s)\n", e.Package, ran[e.Package], e.Elapsed)
				delete(output, k)
			case e.Action == "fail":
				if failures[e.Package] == 0 {
					failed++
					// A test that was running when the process died has no end of its own.
					for open, text := range output {
						if open.pkg == e.Package && open.test != "" {
							fmt.Fprintf(out, "--- %s %s (did not end)\n%s", open.pkg, open.test, text)
						}
					}
					if output[k] != nil {
						fmt.Fprint(out, output[k])
					}
				}
				fmt.Fprintf(out, "FAIL  %s (%d failed, %.1f s)\n", e.Package, failures[e.Package], e.Elapsed)
				delete(output, k)
			}
		}
		if err == io.EOF {
			return passed, failed, nil
		}
		if err != nil {
			return passed, failed, err
		}
	}
}
