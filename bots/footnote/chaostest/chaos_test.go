// Package chaostest_test runs three replicas of the real program on one PostgreSQL and one Redis
// against a Slack and a Discord with real limits, kills, pauses and restarts them at random under
// load, and then checks the books: every accepted question has exactly one answer, in order within
// its thread, nothing is left half-written, and no event is lost.
//
//	make chaos                     ten minutes
//	make chaos CHAOS=30m           longer
package chaostest_test

import (
	"context"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
	"github.com/footnotehq/footnote/core/session/dicetest"
	"github.com/footnotehq/footnote/core/sleep"
)

// envDuration says how long the replicas are disturbed.
const envDuration = "CHAOS"

// binary is the real program with the race detector.
var binary string

func TestMain(m *testing.M) {
	os.Exit(footnotetest.Build(m, func(built string) { binary = built }))
}

const (
	replicas      = 3
	conversations = 8                // every other one in Slack, and in Discord
	shortest      = 20 * time.Second // without CHAOS
	settle        = 2 * time.Minute  // for what is under way at the end
)

func TestEveryQuestionIsAnsweredOnceWhateverHappens(t *testing.T) {
	duration := shortest
	if said := os.Getenv(envDuration); said != "" {
		var err error
		if duration, err = time.ParseDuration(said); err != nil {
			t.Fatalf("%s is how long the replicas are disturbed, such as 10m: %v", envDuration, err)
		}
	}
	seed := dicetest.Seed(t) // which repeats a run's choices, though not its timing
	t.Logf("%s=%s", envDuration, duration)
	w := open(t)
	w.start()
	ctx, cancel := context.WithTimeout(t.Context(), duration+settle)
	defer cancel()
	asking, stopAsking := context.WithTimeout(ctx, duration)
	defer stopAsking()

	asked := w.ask(asking, ctx, rand.New(rand.NewPCG(seed, 1)))
	w.disturb(asking, rand.New(rand.NewPCG(seed, 2)))
	questions := asked()
	w.settle(ctx, questions)
	w.check(questions)
}

// disturb does to a random replica what happens to processes: it is killed, told to end, or stands
// still until its leases are another's. At most one is disturbed at a time, so that somebody can
// always acknowledge.
func (w *world) disturb(ctx context.Context, random *rand.Rand) {
	counts := map[string]int{}
	for sleep.For(ctx, time.Duration(1+random.IntN(3))*time.Second) == nil {
		victim := w.replicas[random.IntN(len(w.replicas))]
		switch kind := random.IntN(10); {
		case kind < 5:
			counts["killed"]++
			victim.End(syscall.SIGKILL)
			victim.Start()
		case kind < 7:
			counts["ended"]++
			victim.End(syscall.SIGTERM)
			victim.Start()
		default:
			counts["paused"]++
			victim.Signal(syscall.SIGSTOP)
			// Its leases last ten seconds: most pauses are shorter, some are longer.
			_ = sleep.For(ctx, time.Duration(1+random.IntN(14))*time.Second)
			victim.Signal(syscall.SIGCONT)
		}
		victim.Ready()
	}
	w.Logf("replicas: %v", counts)
}
