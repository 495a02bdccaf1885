package receive

import (
	"slices"
	"testing"
)

func TestScanRunsBeforeTheChannelsNextMessage(t *testing.T) {
	t.Parallel()
	p := newScans()
	var ran []string
	look := func(name string) func(_, _ <-chan struct{}) {
		return func(hurry, _ <-chan struct{}) {
			select {
			case <-hurry:
				ran = append(ran, name)
			default:
				ran = append(ran, name+" at leisure")
			}
		}
	}
	first, other := p.add("1", look("first")), p.add("2", look("other"))
	if p.add("1", look("again")) != nil {
		t.Error("a channel whose scan has not begun is scanned twice")
	}
	p.finish("1")
	p.finish("1")
	first.run()
	other.run()
	p.finish("3")
	if want := []string{"first", "other at leisure"}; !slices.Equal(ran, want) {
		t.Errorf("scans ran as %q, want %q", ran, want)
	}
	if len(p.pending) != 0 {
		t.Errorf("%d scans are pending", len(p.pending))
	}
}

func TestScanRunsAfterTheOneThatHasBegun(t *testing.T) {
	t.Parallel()
	p := newScans()
	begun, let := make(chan struct{}), make(chan struct{})
	var ran []string
	first := p.add("1", func(hurry, _ <-chan struct{}) {
		close(begun)
		<-let
		<-hurry // the next message hurries both
		ran = append(ran, "first")
	})
	go first.run()
	<-begun
	if p.add("1", func(_, _ <-chan struct{}) { ran = append(ran, "second") }) == nil {
		t.Fatal("what came after the scan began is not looked for")
	}
	close(let)
	p.finish("1")
	if want := []string{"first", "second"}; !slices.Equal(ran, want) {
		t.Errorf("scans ran as %q, want %q", ran, want)
	}
}
