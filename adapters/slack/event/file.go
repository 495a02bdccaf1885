package event

import (
	"cmp"
	"encoding/json"

	"github.com/footnotehq/footnote/adapters/internal/attachment"
)

// File describes a file of a message. It does not hold the content.
type File struct {
	ID, Name, Media string
	Size            int64
	URL             string
	Refused         string // sentence why it is unreadable; empty: readable
	Ask             bool   // details must be requested from Slack
}

// These sentences tell a person why a file cannot be read.
const (
	sayElsewhere = "It is kept outside of Slack. Attach the file itself."
	sayGone      = "It was deleted."
	sayHidden    = "Slack hides it, because the workspace has reached the limit of its plan."
	SayNoScope   = "The bot may not read files in Slack. Whoever runs it can add the scope files:read."
	SayNoFile    = "Slack did not hand it out. Attach it again."
)

// StatedFiles converts Slack's descriptions of a message's files, each with [Stated].
func StatedFiles(list []FileData) []File {
	var out []File
	for _, f := range list {
		out = append(out, Stated(f))
	}
	return out
}

// Stated converts Slack's description of a file. If the file cannot be read, Refused states the
// reason.
func Stated(f FileData) File {
	out := File{ID: f.ID, Name: cmp.Or(f.Name, f.Title, f.ID), Media: f.Media, Size: f.Size, URL: cmp.Or(f.URL, f.Download)}
	switch {
	case f.Mode == "tombstone" || f.Access == "file_not_found":
		out.Refused = sayGone
	case f.Mode == "hidden_by_limit":
		out.Refused = sayHidden
	case f.Access == "access_denied":
		out.Refused = SayNoFile
	case f.Access == "check_file_info" || out.URL == "":
		out.Ask = true
	case f.External || f.Mode == "external":
		out.Refused = sayElsewhere
	case f.Size > attachment.Limit(f.Media):
		out.Refused = attachment.SayTooLarge
	}
	return out
}

type fileState struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Media   string `json:"media,omitempty"`
	Size    int64  `json:"size,omitempty"`
	URL     string `json:"url,omitempty"`
	Refused string `json:"refused,omitempty"`
	Ask     bool   `json:"ask,omitempty"`
}

// MarshalJSON implements json.Marshaler. The JSON is for reading the file later. It gives no access
// to the file without the bot's token.
func (f File) MarshalJSON() ([]byte, error) {
	return json.Marshal(fileState(f))
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *File) UnmarshalJSON(raw []byte) error {
	var s fileState
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*f = File(s)
	return nil
}
