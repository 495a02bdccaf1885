package consolebot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// Open implements chat.Platform. With several models, it shows the first answer while it is
// written, and the others afterwards.
func (b *Bot) Open(ctx context.Context, t session.Turn, permit chat.Permit) (chat.Delivery, error) {
	if t.Session.Ref != b.ref {
		return nil, fmt.Errorf("open the console for a turn of another conversation: %w", thread.ErrNotPermitted)
	}
	b.asking(t.ID, false)
	desk := answer.Desk{Platform: b, Records: answer.Unrecorded{}, Logger: b.config.Logger}
	first, err := answer.Deliver(ctx, desk, t, permit, func(context.Context, []session.Page) (answer.Outlet[string], error) {
		return answer.Outlet[string]{To: t.Session.Ref, Surface: b.config.Surface, Renderer: b.config.Renderer}, nil
	})
	if err != nil {
		return nil, err
	}
	d := &delivery{bot: b, turn: t, first: first, views: make([]stream.View, max(1, len(b.config.Models)))}
	for i := range d.views {
		d.views[i].Model = i
	}
	if len(b.config.Models) > 1 {
		err = d.heading(ctx, b.config.Models[0])
	}
	return d, err
}

type delivery struct {
	bot   *Bot
	turn  session.Turn
	first chat.Delivery // of the first model's answer
	views []stream.View
}

// Accept implements packet.Sink.
func (d *delivery) Accept(p packet.Packet) {
	if d.bot.config.Packets != nil {
		d.bot.config.Packets.Accept(p)
	}
	for i := len(d.views); i <= p.Placement.ModelIndex; i++ { // an agent may have several models
		d.views = append(d.views, stream.View{Model: i})
	}
	for i := range d.views {
		d.views[i].Apply(p)
	}
	if p.Placement.ModelIndex == 0 {
		d.first.Accept(p)
	}
}

// Finish implements chat.Delivery.
func (d *delivery) Finish(ctx context.Context, final chat.Result) error {
	err := d.first.Finish(ctx, final)
	if final.Waits {
		d.bot.asking(d.turn.ID, true)
		_, err = d.bot.config.Surface.Post(ctx, d.turn.Session.Ref, offer(&d.views[0]))
		return err
	}
	for i := 1; i < len(d.views) && err == nil && len(final.Saved.Runs) > 1; i++ {
		err = d.show(ctx, i)
	}
	d.bot.finished(Result{Turn: d.turn, Views: d.views, Final: final, Err: err})
	if err != nil {
		// no retry, because a closed terminal stays closed
		return errors.Join(err, thread.ErrNotPermitted)
	}
	return nil
}

// Close implements chat.Delivery.
func (d *delivery) Close(ctx context.Context) { d.first.Close(ctx) }

func offer(v *stream.View) string {
	var b strings.Builder
	b.WriteString("A deep search would look into:\n")
	for i, row := range v.Plan {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, console.Sanitize(row.Question))
	}
	fmt.Fprintf(&b, "%s\nType \"start\" or \"just answer\".\n", stream.CostText(v.Progress))
	return b.String()
}

func (d *delivery) show(ctx context.Context, model int) error {
	if err := d.heading(ctx, d.views[model].Label); err != nil {
		return err
	}
	for _, page := range d.bot.config.Renderer.Render(&d.views[model]) {
		if _, err := d.bot.config.Surface.Post(ctx, d.turn.Session.Ref, page); err != nil {
			return err
		}
	}
	return nil
}

func (d *delivery) heading(ctx context.Context, model string) error {
	_, err := d.bot.config.Surface.Post(ctx, d.turn.Session.Ref, console.Heading(model))
	return err
}
