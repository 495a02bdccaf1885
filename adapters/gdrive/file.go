package gdrive

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// typeFolder is the MIME type of folders. The other types are those of Google's own formats
// (https://developers.google.com/workspace/drive/api/guides/mime-types).
const (
	typeFolder = "application/vnd.google-apps.folder"
	typeDoc    = "application/vnd.google-apps.document"
	typeSheet  = "application/vnd.google-apps.spreadsheet"
	typeSlides = "application/vnd.google-apps.presentation"
)

type file struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	MimeType string   `json:"mimeType"`
	Parents  []string `json:"parents"`
	// trashed "either explicitly or from a trashed parent folder"
	Trashed      bool      `json:"trashed"`
	ModifiedTime time.Time `json:"modifiedTime"`
	Size         int64     `json:"size,string"`
	WebViewLink  string    `json:"webViewLink"`
	MD5          string    `json:"md5Checksum"`
	DriveID      string    `json:"driveId"`
	Owners       []struct {
		EmailAddress string `json:"emailAddress"`
	} `json:"owners"`
	LastModifyingUser struct {
		DisplayName string `json:"displayName"`
	} `json:"lastModifyingUser"`
	// Augmented says "whether there are permissions directly on this file"; it is for shared drives
	// only.
	Augmented     bool         `json:"hasAugmentedPermissions"`
	Limited       bool         `json:"inheritedPermissionsDisabled"`
	Permissions   []permission `json:"permissions"` // "not populated for items in shared drives"
	PermissionIDs []string     `json:"permissionIds"`
}

const (
	permissionFields = "id,type,role,emailAddress,domain,allowFileDiscovery,deleted,view,expirationTime,permissionDetails(inherited,role,permissionType)"
	fileFields       = "id,name,mimeType,parents,trashed,modifiedTime,size,webViewLink,md5Checksum,driveId,owners(emailAddress),lastModifyingUser(displayName),hasAugmentedPermissions,inheritedPermissionsDisabled"
	ownFileFields    = fileFields + ",permissionIds,permissions(" + permissionFields + ")"
)

// parent returns the id of the folder that contains a file, or "" if the folder is invisible. A
// file has only one folder.
func (f *file) parent() string {
	if len(f.Parents) == 0 || !isID(f.Parents[0]) {
		return ""
	}
	return f.Parents[0]
}

// stamp returns a time that changes with the content, the name or the type of a file. Its seconds
// are those of the last change. Its microseconds are a hash.
func (f *file) stamp() time.Time {
	sum := fnv.New32a()
	// writing to a hash never fails
	_, _ = fmt.Fprintf(sum, "%s %s %d %s", f.Name, f.MD5, f.ModifiedTime.Nanosecond(), f.MimeType)
	return f.ModifiedTime.UTC().Truncate(time.Second).Add(time.Duration(sum.Sum32()%1_000_000) * time.Microsecond)
}

// permission grants access to a file, folder or drive
// (https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions).
type permission struct {
	ID                 string     `json:"id"`
	Type               string     `json:"type"`
	Role               string     `json:"role"`
	EmailAddress       string     `json:"emailAddress"`
	Domain             string     `json:"domain"`
	AllowFileDiscovery bool       `json:"allowFileDiscovery"`
	Deleted            bool       `json:"deleted"`
	View               string     `json:"view"`
	ExpirationTime     *time.Time `json:"expirationTime"`
	PermissionDetails  []struct {
		Inherited bool   `json:"inherited"`
		Role      string `json:"role"`
		Type      string `json:"permissionType"`
	} `json:"permissionDetails"`
}

var roles = []string{"owner", "organizer", "fileOrganizer", "writer", "commenter", "reader"}

// direct reports whether a grant was set on the file itself and is not inherited. It returns false
// if Google sends no details of the grant.
func (p *permission) direct() bool {
	for _, d := range p.PermissionDetails {
		if !d.Inherited && slices.Contains(roles, d.Role) {
			return true
		}
	}
	return false
}

// given is like direct, but returns true if Google sends no details of the grant. Use it for files
// in personal drives.
func (p *permission) given() bool { return len(p.PermissionDetails) == 0 || p.direct() }

// counts reports whether a grant allows reading the content at the given time. A grant that sets
// View does not count, because it may allow only reading metadata.
func (p *permission) counts(now time.Time) bool {
	return !p.Deleted && p.View == "" && slices.Contains(roles, p.Role) && (p.ExpirationTime == nil || p.ExpirationTime.After(now))
}

// shared reports whether a file in a personal drive was itself shared with people other than its
// owner. It returns true if the grants are invisible.
func (f *file) shared() bool {
	return len(f.Permissions) == 0 || len(f.Permissions) < len(f.PermissionIDs) || slices.ContainsFunc(f.Permissions, func(p permission) bool { return p.Role != "owner" && p.given() })
}

func (c *Connector) permissions(ctx context.Context, subject, id string) ([]permission, error) {
	var all []permission
	type part struct {
		Permissions   []permission `json:"permissions"`
		NextPageToken string       `json:"nextPageToken"`
	}
	asked := query("supportsAllDrives", "true", "pageSize", "100", "fields", "nextPageToken,permissions("+permissionFields+")")
	err := listAll(ctx, c.client, drive, subject, "files/"+url.PathEscape(id)+"/permissions", asked, func(got part) string {
		all = append(all, got.Permissions...)
		return got.NextPageToken
	})
	return all, err
}

// grants returns the principals of the valid grants for which chosen returns true. ends is the time
// at which the first of these grants expires, or zero.
func (p *people) grants(ctx context.Context, all []permission, chosen func(*permission) bool) (acl access.ACL, ends time.Time, err error) {
	now := p.client.config.Now()
	for i := range all {
		one := &all[i]
		if !one.counts(now) || !chosen(one) {
			continue
		}
		who, err := p.principal(ctx, one)
		if err != nil {
			return nil, ends, err
		}
		if who == "" {
			continue
		}
		acl = append(acl, who)
		if at := one.ExpirationTime; at != nil && (ends.IsZero() || at.Before(ends)) {
			ends = *at
		}
	}
	slices.Sort(acl)
	return slices.Compact(acl), ends, nil
}

// principal returns the principal of a grant, or "" if the grant gives no one access. Grants to a
// domain or to anyone without AllowFileDiscovery are shares by link. They count only if
// Options.Links is set.
func (p *people) principal(ctx context.Context, one *permission) (access.Principal, error) {
	switch one.Type {
	case "user":
		if id := p.byMail[address(one.EmailAddress)]; id != "" {
			return p.person(id), nil
		}
	case "group":
		id, err := p.groupOf(ctx, one.EmailAddress)
		if err != nil || id == "" {
			return "", err
		}
		return p.group(id), nil
	case "domain":
		if one.Domain != "" && (one.AllowFileDiscovery || p.options.Links) {
			return p.domain(one.Domain), nil
		}
	case "anyone":
		switch {
		case one.AllowFileDiscovery && p.options.Anonymous != "":
			return p.options.Anonymous, nil
		case p.options.Links:
			return access.SourceAll(string(p.source.ID)), nil
		}
	}
	return "", nil
}
