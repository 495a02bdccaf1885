package pdf_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pdf"
	"github.com/footnotehq/footnote/core/footprint"
	"golang.org/x/sync/errgroup"
)

// TestQuestionsDoNotWaitForSources reads a file of a question while a file of a source is read and
// another one waits. These end only after the question's.
func TestQuestionsDoNotWaitForSources(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // ends a wait without end
	defer cancel()
	var group errgroup.Group
	begun, answered := make(chan struct{}, 2), make(chan struct{})
	for range 2 {
		group.Go(func() error {
			return pdf.Occupy(footprint.ForSources(ctx), func(context.Context) {
				begun <- struct{}{}
				<-answered
			})
		})
	}
	<-begun
	page, err := pdf.Parse(ctx, plain().bytes(), pdf.Options{})
	if err != nil || !strings.Contains(shown(page), sentence) {
		t.Errorf("the question's file is read as %q, %v", shown(page), err)
	}
	select {
	case <-begun:
		t.Error("two files of sources are read at once")
	default:
	}
	close(answered)
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// TestFileThatWaitsForTheSandbox ends the time of a file while another one is read. Its error does
// not say that the file takes too long.
func TestFileThatWaitsForTheSandbox(t *testing.T) {
	t.Parallel()
	err := pdf.Occupy(t.Context(), func(ctx context.Context) {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(errStopped)
		if _, err := pdf.Parse(ctx, plain().bytes(), pdf.Options{}); !errors.Is(err, footprint.ErrWaiting) || !errors.Is(err, errStopped) {
			t.Errorf("error %v", err)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

var errStopped = errors.New("stopped")
