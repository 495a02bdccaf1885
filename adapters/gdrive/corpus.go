package gdrive

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/index"
)

// corpus is a set of files with one change log: a shared drive, or all files that one person owns.
type corpus struct {
	id      string // id of the drive, or of the person in the directory
	name    string
	subject string // the person to impersonate
	shared  bool   // it is a shared drive
	closed  bool   // only members have access to its files
}

type sharedDrive struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Restrictions struct {
		// MembersOnly is "Whether access to items inside this shared drive is restricted to its
		// members".
		MembersOnly bool `json:"driveMembersOnly"`
	} `json:"restrictions"`
}

func (d sharedDrive) valid() bool { return isID(d.ID) }

// corpora returns the shared drives, ordered by id, followed by the personal drives. p may be nil
// if Options.MyDrives is false.
func (c *Connector) corpora(ctx context.Context, p *people) ([]corpus, error) {
	type part struct {
		Drives        []sharedDrive `json:"drives"`
		NextPageToken string        `json:"nextPageToken"`
	}
	var all []corpus
	var lacking error
	err := listAll(ctx, c.client, drive, c.options.Reader, "drives", query("pageSize", "100", "fields", "nextPageToken,drives(id,name,restrictions(driveMembersOnly))"), func(got part) string {
		if lacking = checkPage("drives", got.Drives, sharedDrive.valid); lacking != nil {
			return ""
		}
		for _, d := range got.Drives {
			if len(c.options.Drives) == 0 || slices.Contains(c.options.Drives, d.ID) {
				all = append(all, corpus{id: d.ID, name: d.Name, subject: c.options.Reader, shared: true, closed: d.Restrictions.MembersOnly})
			}
		}
		return got.NextPageToken
	})
	if err != nil {
		if absent(err) {
			err = fmt.Errorf("Google shows no shared drives to %s: look at footnote sources add google_drive, and at whether the Google Drive API is enabled (%w): %w",
				cmp.Or(c.options.Reader, c.client.key.ClientEmail), err, index.ErrRevoked)
		}
		return nil, err
	}
	if lacking != nil {
		return nil, lacking
	}
	slices.SortFunc(all, func(a, b corpus) int { return strings.Compare(a.id, b.id) })
	all = slices.CompactFunc(all, func(a, b corpus) bool { return a.id == b.id })
	if !c.options.MyDrives {
		return all, nil
	}
	for _, u := range p.users {
		if len(c.options.Users) == 0 || slices.ContainsFunc(c.options.Users, func(a string) bool { return slices.Contains(u.addresses(), address(a)) }) {
			all = append(all, corpus{id: u.ID, name: u.PrimaryEmail, subject: address(u.PrimaryEmail)})
		}
	}
	return all, nil
}

func (c corpus) fields() string {
	if c.shared {
		return fileFields
	}
	return ownFileFields
}

// scope returns the parameters that limit files.list to one drive. It avoids corpora=allDrives,
// whose results may be incomplete.
func (c corpus) scope() string {
	if c.shared {
		return query("corpora", "drive", "driveId", c.id, "supportsAllDrives", "true", "includeItemsFromAllDrives", "true")
	}
	return query("corpora", "user", "supportsAllDrives", "true")
}

func (c corpus) log() string {
	if c.shared {
		return query("driveId", c.id, "supportsAllDrives", "true", "includeItemsFromAllDrives", "true")
	}
	return query("supportsAllDrives", "true")
}

type listed struct {
	Files            []file `json:"files"`
	NextPageToken    string `json:"nextPageToken"`
	IncompleteSearch bool   `json:"incompleteSearch"`
}

// mostFiles is the requested page size. Google may return fewer files.
const mostFiles = "1000"

// files returns one page of the files in a drive that meet a condition, such as "trashed = false".
// token is the page token, or "" for the first page.
func (c *Connector) files(ctx context.Context, in corpus, condition, token string) (listed, error) {
	var got listed
	asked := in.scope() + "&" + query("q", condition, "pageSize", mostFiles, "fields", "nextPageToken,incompleteSearch,files("+in.fields()+")", "pageToken", token)
	err := c.client.get(ctx, drive, in.subject, "files?"+asked, &got)
	if err == nil {
		err = checkPage("files", got.Files, func(f file) bool { return isID(f.ID) })
	}
	return got, err
}

func (c *Connector) file(ctx context.Context, subject, id, fields string) (file, error) {
	var f file
	err := c.client.get(ctx, drive, subject, "files/"+url.PathEscape(id)+"?"+query("supportsAllDrives", "true", "fields", fields), &f)
	return f, err
}

func (c *Connector) startToken(ctx context.Context, in corpus) (string, error) {
	var got struct {
		Token string `json:"startPageToken"`
	}
	err := c.client.get(ctx, drive, in.subject, "changes/startPageToken?"+in.log(), &got)
	if err == nil && got.Token == "" {
		err = fmt.Errorf("Google names no place in the log of %s: the next run asks again (%w)", in.name, errMalformed)
	}
	return got.Token, err
}

// change is an entry of a change log. It describes the current state of a file and not what
// happened (https://developers.google.com/workspace/drive/api/guides/change-overview).
type change struct {
	Type string `json:"changeType"`
	// Removed says that the file was removed "from the list of changes, for example by deletion or
	// loss of access".
	Removed bool   `json:"removed"`
	FileID  string `json:"fileId"`
	File    *file  `json:"file"`
}

type logged struct {
	Changes           []change `json:"changes"`
	NextPageToken     string   `json:"nextPageToken"`
	NewStartPageToken string   `json:"newStartPageToken"`
}

func (c *Connector) changed(ctx context.Context, in corpus, token string) (logged, error) {
	var got logged
	asked := in.log() + "&" + query("pageToken", token, "pageSize", mostFiles, "includeRemoved", "true", "includeCorpusRemovals", "true",
		"fields", "nextPageToken,newStartPageToken,changes(changeType,removed,fileId,file("+in.fields()+"))")
	err := c.client.get(ctx, drive, in.subject, "changes?"+asked, &got)
	if err == nil && got.NextPageToken == "" && got.NewStartPageToken == "" {
		err = fmt.Errorf("the log of %s does not say where it goes on: the next run asks again (%w)", in.name, errMalformed)
	}
	if err == nil {
		err = checkPage("changes", got.Changes, func(one change) bool { return one.Type != "" && (one.Type != "file" || isID(one.FileID)) })
	}
	return got, err
}
