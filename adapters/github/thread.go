package github

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown"
	"github.com/footnotehq/footnote/core/document"
)

// actor is the author of a text. A nil actor is a deleted account.
type actor struct {
	Login string `json:"login"`
}

// ghost is GitHub's name for deleted accounts.
const ghost = "ghost"

func (a *actor) name() string {
	if a == nil || a.Login == "" {
		return ghost
	}
	return a.Login
}

type comment struct {
	ID          string              `json:"id"`
	Author      *actor              `json:"author"`
	Body        string              `json:"body"`
	URL         string              `json:"url"`
	CreatedAt   time.Time           `json:"createdAt"`
	IsMinimized bool                `json:"isMinimized"` // hidden as spam, abuse or off topic
	IsAnswer    bool                `json:"isAnswer"`
	State       string              `json:"state"` // state of a review, such as APPROVED
	Replies     connection[comment] `json:"replies"`
}

// reviewThread is a discussion about a location in the code of a pull request.
type reviewThread struct {
	ID         string              `json:"id"`
	Path       string              `json:"path"`
	Line       int                 `json:"line"`
	IsResolved bool                `json:"isResolved"`
	Comments   connection[comment] `json:"comments"`
}

type nodes[T any] struct {
	Nodes []T `json:"nodes"`
}

type name struct {
	Name string `json:"name"`
}

const mostNumber = 1 << 26

func (t thread) valid() bool { return t.ID != "" && t.Number > 0 && t.Number <= mostNumber }

// thread is an issue, a pull request or a discussion.
type thread struct {
	TypeName  string                   `json:"__typename"`
	ID        string                   `json:"id"`
	Number    int                      `json:"number"`
	Title     string                   `json:"title"`
	Body      string                   `json:"body"`
	URL       string                   `json:"url"`
	CreatedAt time.Time                `json:"createdAt"`
	UpdatedAt time.Time                `json:"updatedAt"`
	Author    *actor                   `json:"author"`
	Labels    nodes[name]              `json:"labels"`
	Assignees nodes[actor]             `json:"assignees"`
	Milestone *struct{ Title string }  `json:"milestone"`
	Comments  connection[comment]      `json:"comments"`
	Reviews   connection[comment]      `json:"reviews"`
	Threads   connection[reviewThread] `json:"reviewThreads"`
	Answers   connection[comment]      `json:"answers"` // answers to a discussion

	IssueState  string `json:"issueState"`
	StateReason string `json:"stateReason"`
	PullState   string `json:"pullState"`
	IsDraft     bool   `json:"isDraft"`
	Closed      bool   `json:"closed"`
	IsAnswered  *bool  `json:"isAnswered"`
	Category    *name  `json:"category"`
}

// version returns a time that changes whenever the thread or the repository's name changes. Its
// seconds are GitHub's date of the last change. Its microseconds are a hash that includes the
// number of comments, because GitHub's date may ignore deleted comments.
func (t *thread) version(repository string) time.Time {
	sum := fnv.New32a()
	// writing to a hash never fails
	_, _ = fmt.Fprintf(sum, "%s %d %d %d %d", repository, t.Comments.TotalCount, t.Reviews.TotalCount, t.Threads.TotalCount, t.Answers.TotalCount)
	return t.UpdatedAt.UTC().Truncate(time.Second).Add(time.Duration(sum.Sum32()%1_000_000) * time.Microsecond)
}

const mostComments = 5000

// complete reads the comments, reviews and answers that did not fit on the thread's page.
func (c *Client) complete(ctx context.Context, t *thread) error {
	var err error
	if t.Comments.Nodes, err = rest(ctx, c, "more", t.ID, t.Comments, mostComments); err != nil {
		return err
	}
	if t.Reviews.Nodes, err = rest(ctx, c, "morereviews", t.ID, t.Reviews, mostComments); err != nil {
		return err
	}
	if t.Threads.Nodes, err = rest(ctx, c, "morethreads", t.ID, t.Threads, mostComments); err != nil {
		return err
	}
	for i := range t.Threads.Nodes {
		of := &t.Threads.Nodes[i]
		if of.Comments.Nodes, err = rest(ctx, c, "more", of.ID, of.Comments, mostComments); err != nil {
			return err
		}
	}
	if t.Answers.Nodes, err = rest(ctx, c, "moreanswers", t.ID, t.Answers, mostComments); err != nil {
		return err
	}
	for i := range t.Answers.Nodes {
		of := &t.Answers.Nodes[i]
		if of.Replies.Nodes, err = rest(ctx, c, "more", of.ID, of.Replies, mostComments); err != nil {
			return err
		}
	}
	return nil
}

// size returns the approximate number of bytes of text.
func (t *thread) size() int64 {
	n := len(t.Body)
	for _, list := range [][]comment{t.Comments.Nodes, t.Reviews.Nodes, t.Answers.Nodes} {
		for _, one := range list {
			n += len(one.Body)
		}
	}
	return int64(n)
}

// document converts the thread to a document. The thread's text and each comment become separate
// sections, so that citations can link to them. It returns an error only if ctx is done.
func (t *thread) document(ctx context.Context, repository string) (document.Document, error) {
	d := document.Document{Ref: document.Ref{Title: fmt.Sprintf("%s (%s#%d)", t.Title, repository, t.Number), URL: t.URL, UpdatedAt: t.UpdatedAt}}
	d.Metadata = t.metadata(repository)
	var w writer
	w.said(authoredText{who: t.Author.name(), at: t.CreatedAt, text: t.Body})
	w.all(t.Comments.Nodes, "")
	for _, review := range t.Reviews.Nodes {
		how := map[string]string{"APPROVED": " approved", "CHANGES_REQUESTED": " asked for changes"}[review.State]
		if review.Body != "" || how != "" {
			w.comment(review, how)
		}
	}
	for _, of := range t.Threads.Nodes {
		place := of.Path
		if of.Line > 0 {
			place += ":" + strconv.Itoa(of.Line)
		}
		w.all(of.Comments.Nodes, " on "+document.InlineCode(place))
	}
	for _, answer := range t.Answers.Nodes {
		how := ""
		if answer.IsAnswer {
			how = " (the accepted answer)"
		}
		w.comment(answer, how)
		w.all(answer.Replies.Nodes, "")
	}
	slices.SortStableFunc(w.texts, func(a, b authoredText) int { return a.at.Compare(b.at) })
	for _, one := range w.texts {
		blocks, err := one.blocks(ctx)
		if err != nil {
			return document.Document{}, err
		}
		if len(blocks) > 0 {
			d.Sections = append(d.Sections, document.Section{Anchor: one.anchor, Blocks: blocks})
		}
	}
	return d, nil
}

func (t *thread) metadata(repository string) map[string]string {
	m := map[string]string{"repository": repository, "author": t.Author.name()}
	set := func(key, value string) {
		if value != "" {
			m[key] = value
		}
	}
	set("state", strings.ToLower(t.IssueState+t.PullState))
	switch {
	case t.StateReason != "" && t.IssueState == "CLOSED":
		set("state", "closed, "+strings.ToLower(strings.ReplaceAll(t.StateReason, "_", " ")))
	case t.IsDraft && t.PullState == "OPEN":
		set("state", "draft")
	case t.IsAnswered != nil && *t.IsAnswered:
		set("state", "answered")
	case t.Category != nil && t.Closed:
		set("state", "closed")
	}
	var labels, assignees []string
	for _, l := range t.Labels.Nodes {
		labels = append(labels, l.Name)
	}
	for _, a := range t.Assignees.Nodes {
		assignees = append(assignees, a.Login)
	}
	set("labels", strings.Join(labels, ", "))
	set("assignees", strings.Join(assignees, ", "))
	if t.Milestone != nil {
		set("milestone", t.Milestone.Title)
	}
	if t.Category != nil {
		set("category", t.Category.Name)
	}
	return m
}

type authoredText struct {
	who, how, text, anchor string
	at                     time.Time
}

type writer struct{ texts []authoredText }

func (w *writer) all(list []comment, how string) {
	for _, one := range list {
		w.comment(one, how)
	}
}

func (w *writer) comment(one comment, how string) {
	if one.IsMinimized {
		return
	}
	_, anchor, _ := strings.Cut(one.URL, "#")
	w.said(authoredText{who: one.Author.name(), how: how, text: one.Body, anchor: anchor, at: one.CreatedAt})
}

func (w *writer) said(one authoredText) { w.texts = append(w.texts, one) }

// blocks parses a text and puts the author's name in front, so that excerpts show it. It returns
// nothing for an empty comment.
func (s authoredText) blocks(ctx context.Context) ([]document.Block, error) {
	page, err := markdown.Read(ctx, s.text)
	if err != nil {
		return nil, err
	}
	var blocks []document.Block
	for _, part := range page.Sections {
		for _, b := range part.Blocks {
			if b.Kind == document.Heading { // a heading in a comment is not one of the thread
				b = document.Block{Kind: document.Paragraph, Text: strings.TrimLeft(b.Text, "# ")}
			}
			blocks = append(blocks, b)
		}
	}
	head := fmt.Sprintf("%s%s (%s UTC):", s.who, s.how, s.at.UTC().Format("2006-01-02 15:04"))
	switch {
	case len(blocks) > 0 && blocks[0].Kind == document.Paragraph:
		blocks[0].Text = head + " " + blocks[0].Text
	case len(blocks) > 0 || s.anchor == "" || s.how != "":
		blocks = append([]document.Block{{Kind: document.Paragraph, Text: head}}, blocks...)
	}
	return blocks, nil
}
