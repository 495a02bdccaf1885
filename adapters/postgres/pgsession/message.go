package pgsession

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/jackc/pgx/v5"
)

// questionIndex is the model_index of a question in the table of messages.
const questionIndex = -1

// The rows of a conversation. The order of their fields is the order of the columns in the
// statements.
type (
	messageRow struct {
		ID, TurnID         string
		Number, ModelIndex int
		Role, Author       string
		Text, CallID       string
		Tokens             int
		At                 *time.Time
		Stopped            bool // a person stopped the turn
	}
	callRow struct {
		MessageID, CallID, Name, Arguments string
	}
	documentRow struct {
		ID, Source, Kind, Title, URL string
		UpdatedAt                    *time.Time
	}
	citationRow struct {
		MessageID         string
		Number, ModelSees int
		documentRow
		Anchor, Section, Link, Quote string
	}
	referenceRow struct {
		MessageID string
		Number    int
		documentRow
		Chunk                 int64
		Anchor, Heading, Text string
		Score                 float64
	}
	fileRow struct {
		MessageID, ID, Name, Media, Text string
		Image                            []byte
		Tokens                           int
		Failed                           string
		Said                             []string
	}
)

func (r documentRow) ref() document.Ref {
	return document.Ref{ID: document.ID(r.ID), Source: document.SourceID(r.Source), Kind: document.Kind(r.Kind), Title: r.Title, URL: r.URL,
		UpdatedAt: orZero(r.UpdatedAt)}
}

func insertMessages(ctx context.Context, q postgres.Executor, tenant access.TenantID, turn string, model int, messages []message.Message) error {
	own, inherited, err := splitReferences(ctx, q, tenant, turn, messages)
	if err != nil {
		return err
	}
	batch := new(pgx.Batch)
	for ordinal, m := range messages {
		id, err := newID()
		if err != nil {
			return err
		}
		m.ID, m.Documents = message.ID(id), own[ordinal]
		queueMessage(batch, tenant, turn, model, ordinal, m, inherited[ordinal])
	}
	return q.SendBatch(ctx, batch).Close()
}

func queueMessage(batch *pgx.Batch, tenant access.TenantID, turn string, model, ordinal int, m message.Message, inherited []int32) {
	batch.Queue(`insert into message (tenant_id, id, turn_id, model_index, ordinal, role, author, text, call_id, tokens, at, inherited)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce($12::int[], '{}'))`,
		tenant, m.ID, turn, model, ordinal, m.Role, postgres.Storable(m.Author), postgres.Storable(m.Text), postgres.Storable(m.CallID), m.Tokens, postgres.OrNull(m.At), inherited)
	queueParts(batch, tenant, string(m.ID), m)
}

func queueFile(batch *pgx.Batch, tenant access.TenantID, id string, ordinal int, f message.File) {
	batch.Queue(`insert into message_file (tenant_id, message_id, ordinal, file_id, name, media, text, image, tokens, failed, said)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		tenant, id, ordinal, f.ID, postgres.Storable(f.Name), postgres.Storable(f.Media), postgres.Storable(f.Text), f.Image, f.Tokens, postgres.Storable(f.Failed), f.Said)
}

func queueParts(batch *pgx.Batch, tenant access.TenantID, id string, m message.Message) {
	for i, f := range m.Files {
		queueFile(batch, tenant, id, i, f)
	}
	for i, c := range m.Calls {
		batch.Queue(`insert into tool_call (tenant_id, message_id, ordinal, call_id, name, arguments) values ($1, $2, $3, $4, $5, $6)`,
			tenant, id, i, postgres.Storable(c.ID), postgres.Storable(c.Name), postgres.Storable(string(c.Arguments)))
	}
	for i, c := range m.Citations {
		d := c.Document
		batch.Queue(`insert into citation (tenant_id, message_id, ordinal, number, model_sees, document_id, source_id, kind, title, url,
			updated_at, anchor, link, quote, section) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
			tenant, id, i, c.Number, c.ModelSees, postgres.Storable(string(d.ID)), d.Source, d.Kind, postgres.Storable(d.Title), postgres.Storable(d.URL),
			postgres.OrNull(d.UpdatedAt), postgres.Storable(c.Anchor), postgres.Storable(c.Link), postgres.Storable(c.Quote), postgres.Storable(c.Section))
	}
	if len(m.Documents) > 0 {
		queuePassages(batch, tenant, id, m.Documents)
	}
}

// queuePassages stores all passages of a message with one statement, because a turn has many.
func queuePassages(batch *pgx.Batch, tenant access.TenantID, id string, passages []message.Reference) {
	var refs refColumns
	var ordinals, numbers []int32
	var chunks []int64
	var anchors, headings, texts []string
	var scores []float64
	for i, r := range passages {
		refs.add(r.Document)
		ordinals, numbers, chunks = append(ordinals, int32(i)), append(numbers, int32(r.Number)), append(chunks, storedChunk(r.Chunk))
		anchors, texts = append(anchors, postgres.Storable(r.Anchor)), append(texts, postgres.Storable(r.Text))
		headings = append(headings, postgres.Storable(r.Heading))
		scores = append(scores, r.Score)
	}
	batch.Queue(`insert into message_document (tenant_id, message_id, ordinal, number, document_id, source_id, kind, title, url, updated_at,
			chunk_id, anchor, text, score, heading)
		select $1::text, $2::uuid, d.* from unnest($3::int[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::timestamptz[],
			$11::bigint[], $12::text[], $13::text[], $14::double precision[], $15::text[]) d`,
		tenant, id, ordinals, numbers, refs.ids, refs.sources, refs.kinds, refs.titles, refs.urls, refs.updated, chunks, anchors, texts, scores, headings)
}

func loadMessages(ctx context.Context, q postgres.Executor, tenant access.TenantID, rows []messageRow) ([]message.Message, error) {
	messages := make([]message.Message, len(rows))
	var questions, calls, answers []*message.Message
	for i, r := range rows {
		m := &messages[i]
		*m = message.Message{ID: message.ID(r.ID), Turn: r.Number, Role: message.Role(r.Role), Author: r.Author, Text: r.Text,
			CallID: r.CallID, Tokens: r.Tokens, At: orZero(r.At), Stopped: r.Stopped && message.Role(r.Role) == message.Assistant}
		switch m.Role {
		case message.User, message.Task:
			questions = append(questions, m)
		case message.ToolCall:
			calls = append(calls, m)
		case message.Assistant:
			answers = append(answers, m)
		case message.ToolResult:
		}
	}
	if err := loadFiles(ctx, q, tenant, questions); err != nil {
		return nil, err
	}
	if err := loadCalls(ctx, q, tenant, calls); err != nil {
		return nil, err
	}
	return messages, loadSources(ctx, q, tenant, answers)
}

func byID(messages []*message.Message) ([]string, map[string]*message.Message) {
	ids, by := make([]string, len(messages)), make(map[string]*message.Message, len(messages))
	for i, m := range messages {
		ids[i] = string(m.ID)
		by[ids[i]] = m
	}
	return ids, by
}

func loadFiles(ctx context.Context, q postgres.Executor, tenant access.TenantID, messages []*message.Message) error {
	ids, by := byID(messages)
	rows, err := postgres.QueryAll[fileRow](ctx, q, `
		select message_id::text, file_id, name, media, text, image, tokens, failed, said from message_file
		where tenant_id = $1 and message_id = any($2::text[]::uuid[]) order by message_id, ordinal`, tenant, ids)
	if err != nil {
		return fmt.Errorf("load files of %d messages: %w", len(ids), err)
	}
	for _, r := range rows {
		m := by[r.MessageID]
		m.Files = append(m.Files, message.File{ID: message.FileID(r.ID), Name: r.Name, Media: r.Media, Text: r.Text, Image: r.Image,
			Tokens: r.Tokens, Failed: r.Failed, Said: r.Said})
	}
	return nil
}

func loadCalls(ctx context.Context, q postgres.Executor, tenant access.TenantID, messages []*message.Message) error {
	if len(messages) == 0 {
		return nil
	}
	ids, by := byID(messages)
	rows, err := postgres.QueryAll[callRow](ctx, q, `
		select message_id::text, call_id, name, arguments from tool_call
		where tenant_id = $1 and message_id = any($2::text[]::uuid[]) order by message_id, ordinal`, tenant, ids)
	if err != nil {
		return fmt.Errorf("load tool calls of %d messages: %w", len(ids), err)
	}
	for _, r := range rows {
		m := by[r.MessageID]
		m.Calls = append(m.Calls, message.Call{ID: r.CallID, Name: r.Name, Arguments: json.RawMessage(r.Arguments)})
	}
	return nil
}

func loadSources(ctx context.Context, q postgres.Executor, tenant access.TenantID, messages []*message.Message) error {
	if len(messages) == 0 {
		return nil
	}
	ids, by := byID(messages)
	citations, err := postgres.QueryAll[citationRow](ctx, q, `
		select message_id::text, number, model_sees, document_id, source_id, kind, title, url, updated_at, anchor, section, link, quote from citation
		where tenant_id = $1 and message_id = any($2::text[]::uuid[]) order by message_id, ordinal`, tenant, ids)
	if err != nil {
		return fmt.Errorf("load citations of %d messages: %w", len(ids), err)
	}
	for _, r := range citations {
		m := by[r.MessageID]
		m.Citations = append(m.Citations, message.Citation{Number: r.Number, ModelSees: r.ModelSees, Document: r.ref(), Anchor: r.Anchor,
			Section: r.Section, Link: r.Link, Quote: r.Quote})
	}
	references, err := postgres.QueryAll[referenceRow](ctx, q, `
		select message_id::text, number, document_id, source_id, kind, title, url, updated_at, chunk_id, anchor, heading, text, score
		from message_document where tenant_id = $1 and message_id = any($2::text[]::uuid[]) order by message_id, ordinal`, tenant, ids)
	if err != nil {
		return fmt.Errorf("load documents of %d messages: %w", len(ids), err)
	}
	for _, r := range references {
		m := by[r.MessageID]
		m.Documents = append(m.Documents, message.Reference{Number: r.Number, Document: r.ref(), Chunk: loadedChunk(r.Chunk),
			Anchor: r.Anchor, Heading: r.Heading, Text: r.Text, Score: r.Score})
	}
	if err := loadInherited(ctx, q, tenant, ids, by); err != nil {
		return fmt.Errorf("load inherited documents of %d messages: %w", len(ids), err)
	}
	return nil
}

// noChunk is the chunk_id of a reference to a document without a chunk. Earlier releases stored 0
// instead, which is also the id of a chunk.
const noChunk = -1

func storedChunk(id *document.ChunkID) int64 {
	if id == nil {
		return noChunk
	}
	return int64(*id)
}

func loadedChunk(stored int64) *document.ChunkID {
	if stored == noChunk {
		return nil
	}
	return new(document.ChunkID(stored))
}
