package github_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/github/githubtest"
)

// BenchmarkIssues reads 10,000 issues with three comments each, in one repository and in a
// thousand, from a server without limits into an index in memory. Its times are those of the
// processor, of the server as well.
func BenchmarkIssues(b *testing.B) {
	for _, repositories := range []int{1, 1000} {
		b.Run(fmt.Sprintf("repositories=%d", repositories), func(b *testing.B) {
			a := newAcme(b, nil)
			for i := range repositories {
				r := a.Repo(a.org, fmt.Sprintf("app%d", i), githubtest.Private)
				for j := range 10_000 / repositories {
					th := a.Open(r, "issue", fmt.Sprintf("The printer of room %d is loud", j), "It hums all day long, and stops after a knock.", a.ada)
					for k := range 3 {
						a.Say(th, a.ada, fmt.Sprintf("Turning off the fan %d of the printer helps for a while.", k))
					}
				}
			}
			for b.Loop() {
				for _, pass := range []struct {
					name string
					wait time.Duration
				}{{"first", time.Hour}, {"settling", time.Hour}, {"quiet", time.Hour}, {"look", 23 * time.Hour}} {
					a.Pass(pass.wait)
					mark, began := a.Mark(), used(b)
					a.MustSync()
					b.ReportMetric(float64(a.Mark()-mark), pass.name+"-requests")
					b.ReportMetric(float64((used(b) - began).Milliseconds()), pass.name+"-ms")
				}
			}
		})
	}
}

// used is the time that processors have spent for this process.
func used(b *testing.B) time.Duration {
	b.Helper()
	var is syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &is); err != nil {
		b.Fatal(err)
	}
	return time.Duration(is.Utime.Nano() + is.Stime.Nano())
}
