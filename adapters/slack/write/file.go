package write

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

var codesNoFiles = []string{"missing_scope", "file_uploads_disabled", "file_uploads_except_images_disabled", "file_type_not_allowed", "unknown_method", "method_deprecated"}

const (
	maxUploads = 3 // temporary failures before a report is posted as messages
	shareLooks = 5 // checks whether a file is in its thread
	// sharePause is the unit of the waits between checks. The waits are 2, 4, 8 and 16 times as
	// long.
	sharePause = 100 * time.Millisecond
)

// fileName returns a file name that consists of the turn's id and a hash of the text. Every process
// can recognise the file by this name.
func (s *Surface) fileName(text string) string {
	sum := sha256.Sum256([]byte(text))
	return s.filePrefix() + hex.EncodeToString(sum[:4]) + ".md"
}

func (s *Surface) filePrefix() string { return "answer-" + s.options.Turn + "-" }

// postFile posts a report as a file and returns the id of the file. Edit and Delete accept this id.
// If Slack does not accept files, postFile logs the remedy and returns thread.ErrNoFile.
func (s *Surface) postFile(ctx context.Context, to thread.Ref, text string) (thread.MessageID, error) {
	if s.client.noFiles.Load() || s.uploads >= maxUploads {
		return "", thread.ErrNoFile
	}
	limited, cancel := s.call(ctx)
	defer cancel()
	slack, name := s.client.slack.API, s.fileName(text)
	place, err := slack.GetUploadURLExternalContext(limited, api.GetUploadURLExternalParameters{FileName: name, FileSize: len(text)})
	if err != nil {
		return "", s.noFile(ctx, "files.getUploadURLExternal", err)
	}
	if err := slack.UploadToURL(limited, api.UploadToURLParameters{UploadURL: place.UploadURL, Content: text, Filename: name}); err != nil {
		if failed := (*url.Error)(nil); errors.As(err, &failed) {
			err = failed.Err // the address is secret, because anyone can upload to it
		}
		return "", s.noFile(ctx, "upload a report", err)
	}
	_, err = slack.CompleteUploadExternalContext(limited, api.CompleteUploadExternalParameters{
		Files: []api.FileSummary{{ID: place.FileID, Title: render.FileTitle}}, Channel: to.Channel, ThreadTimestamp: to.Thread,
	})
	if unknown := call.Translate("post a report as a file", err, true); errors.Is(unknown, thread.ErrOutcomeUnknown) {
		return "", unknown
	}
	if err != nil {
		return "", s.noFile(ctx, "files.completeUploadExternal", err)
	}
	return thread.MessageID(place.FileID), s.arrived(ctx, to, place.FileID)
}

// arrived waits until a file is visible in its thread. If that takes too long, it deletes the file
// and returns thread.ErrNoFile.
func (s *Surface) arrived(ctx context.Context, to thread.Ref, id string) error {
	limited, cancel := s.call(ctx)
	defer cancel()
	for look := range shareLooks {
		if look > 0 && sleep.For(limited, sharePause<<look) != nil {
			break
		}
		f, _, _, err := s.client.slack.API.GetFileInfoContext(limited, id, 1, 1)
		if call.Code(err) == "missing_scope" { // without files:read, no check is possible
			return nil
		}
		if err == nil && (len(f.Shares.Public[to.Channel])+len(f.Shares.Private[to.Channel]) > 0 || slices.Contains(slices.Concat(f.Channels, f.Groups, f.IMs), to.Channel)) {
			return nil
		}
	}
	if err := s.deleteFile(ctx, to, thread.MessageID(id)); err != nil && !thread.Lasting(err) {
		return fmt.Errorf("%w: it is not in the thread, and: %w", thread.ErrOutcomeUnknown, err)
	}
	s.client.slack.Logger.WarnContext(ctx, "slack took the file of a report and did not show it; the report comes as messages", "turn", s.options.Turn, "file", id)
	return thread.ErrNoFile
}

func (s *Surface) noFile(ctx context.Context, what string, err error) error {
	passing := call.Translate(what, err, false)
	if ctx.Err() != nil || errors.As(passing, new(*thread.RateLimitError)) {
		return passing
	}
	code := call.Code(err)
	switch {
	case slices.Contains(codesNoFiles, code) || noMethod(err):
		if s.client.noFiles.CompareAndSwap(false, true) {
			s.client.slack.Logger.WarnContext(ctx, "slack takes no files, so that long reports come as messages; once that is put right, restart the bot", "error", explainFile(what, err))
		}
		return thread.ErrNoFile
	case call.Transient(err):
		if s.uploads++; s.uploads < maxUploads {
			return passing
		}
	}
	s.client.slack.Logger.WarnContext(ctx, "a report could not be uploaded; it comes as messages", "turn", s.options.Turn, "error", explainFile(what, err))
	return thread.ErrNoFile
}

func explainFile(what string, err error) error {
	switch call.Code(err) {
	case "file_uploads_disabled", "file_uploads_except_images_disabled", "file_type_not_allowed":
		return fmt.Errorf("%s: the workspace does not allow it (%w): whoever manages it can allow files under Settings & Permissions", what, err)
	}
	return call.Explain(what, err)
}

func (s *Surface) deleteFile(ctx context.Context, to thread.Ref, id thread.MessageID) error {
	ctx, cancel := s.call(ctx)
	defer cancel()
	err := s.client.slack.API.DeleteFileContext(ctx, string(id))
	if code := call.Code(err); code == "file_not_found" || code == "file_deleted" {
		return nil
	}
	return s.failed(ctx, to, "delete the file of the answer", thread.Edit, err, false)
}

// replaced handles an edit in which the message or the new page is a file. Files cannot be edited,
// so it deletes the message and returns thread.ErrExpired. The caller then posts the page. It
// returns nil if the message already is the same file.
func (s *Surface) replaced(ctx context.Context, to thread.Ref, id thread.MessageID, page render.Page) error {
	if page.File != "" && s.found[id] == s.fileName(page.File) {
		return nil // another process uploaded the same file
	}
	err := s.Delete(ctx, to, id)
	if err != nil && !thread.Lasting(err) {
		return err
	}
	if err != nil {
		s.client.slack.Logger.WarnContext(ctx, "the earlier content stays next to the answer", "turn", s.options.Turn, "error", err)
	}
	return fmt.Errorf("edit the answer: %w", thread.ErrExpired)
}
