package gitlabtest

import "time"

// MayRead reports whether an account may read an issue, merge request, wiki page or file. A nil
// account is a visitor.
//
//   - "For private projects, only members of the private project or group can …". "For internal
//     projects, any authenticated user, including users with the Guest role, can …". "External
//     users cannot …". "For public projects, any user, including unauthenticated users, can"
//     (https://docs.gitlab.com/user/public_access/).
//   - Features "can be set to 'Everyone with Access' or 'Only Project Members'. They make sense
//     only for public or internal projects because private projects can be accessed only by project
//     members by default"
//     (https://docs.gitlab.com/development/permissions/predefined_roles/).
//   - Every member, from Guest on, may view issues and "View wiki pages". "View a merge request",
//     "Pull project code" and "View project code" are for Reporters and above. "Users with the
//     Guest role are able to perform this action only on public and internal projects (not on
//     private projects). External users must be given explicit access (at least the Reporter role)
//     even if the project is internal" (https://docs.gitlab.com/user/permissions/).
//   - Where a feature is for members only, Guests do not read code and merge requests either: "a
//     guest member of the project" with "merge request feature set to Only Project Members" has no
//     access (https://gitlab.com/gitlab-org/gitlab/-/issues/35808).
//   - Planners read code and merge requests as Guests do. They may read merge requests of some
//     private projects, under conditions that the table leaves out. Here they may not.
//     (https://gitlab.com/gitlab-org/gitlab/-/merge_requests/260353).
//   - "Confidential issues can be accessed only by project members who are at least reporters (they
//     can't be accessed by guests). Additionally they can be accessed by their authors and
//     assignees" (predefined_roles), who must be able to view the project's issues
//     (https://gitlab.com/gitlab-org/gitlab-ce/issues/41973). "The Planner role can view, create,
//     and edit issues for a project, including confidential issues"
//     (https://gitlab.com/gitlab-org/gitlab/-/merge_requests/199490).
//   - "GitLab administrators have all permissions". Blocked accounts have none.
func (w *World) MayRead(u *User, t *Thing) bool {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.mayRead(u, t)
}

func (w *World) mayRead(u *User, t *Thing) bool {
	p := t.Project
	if t.Deleted || p.Deleted || u != nil && u.Blocked {
		return false
	}
	switch t.Kind {
	case Page:
		return w.mayUse(u, p, p.WikiLevel, Guest)
	case File:
		return w.mayUse(u, p, p.Code, Reporter)
	case Merge:
		return w.mayUse(u, p, p.MergeLevel, Reporter)
	case Issue: // below
	}
	if !w.mayUse(u, p, p.IssuesLevel, Guest) {
		return false
	}
	if !t.Confidential {
		return true
	}
	if u == nil {
		return false
	}
	if u.Admin || u == t.Author || w.level(u, p) >= Planner {
		return true
	}
	for _, assigned := range t.Assignees {
		if assigned == u {
			return true
		}
	}
	return false
}

func (w *World) mayUse(u *User, p *Project, feature string, role int) bool {
	if feature == Disabled {
		return false
	}
	if u != nil && (u.Admin || w.level(u, p) >= role) {
		return true
	}
	if feature != Enabled {
		return false
	}
	switch p.Visibility {
	case Public:
		return true
	case Internal:
		return u != nil && !u.External
	default:
		return false
	}
}

func (w *World) maySee(u *User, p *Project) bool {
	if p.Deleted || u.Blocked {
		return false
	}
	return u.Admin || w.level(u, p) >= Guest || p.Visibility == Public || p.Visibility == Internal && !u.External
}

// level returns the role of an account in a project: "the user always has the permissions of
// their highest role" (https://docs.gitlab.com/user/permissions/).
//
//   - "Group members are inherited by its subgroups and projects"
//     (https://docs.gitlab.com/user/project/members/).
//   - "When you invite a group to a project, the following members get access to the project":
//     "direct group members", "inherited group members", "members of other groups that are shared
//     with the invited group". "Each member's access is based on the role they're assigned in the
//     group" and the "maximum role you choose when you invite the group".
//   - "All direct members of the invited group have access to the inviting group. The least access
//     is granted between the access in the invited group and the access in the inviting group.
//     Inherited members of the invited group do not gain access to the inviting group."
//     (both https://docs.gitlab.com/user/project/members/sharing_projects_groups/)
func (w *World) level(u *User, p *Project) int {
	best := max(w.direct(u, p.Members), w.inGroup(u, p.Group))
	for _, s := range p.Shares {
		if w.current(s.Expires) {
			best = max(best, min(s.Most, w.inGroup(u, s.Group)))
		}
	}
	return best
}

func (w *World) inGroup(u *User, g *Group) int {
	best := NoAccess
	for ; g != nil; g = g.Parent {
		best = max(best, w.direct(u, g.Members))
		for _, s := range g.Shares {
			if w.current(s.Expires) {
				best = max(best, min(s.Most, w.direct(u, s.Group.Members)))
			}
		}
	}
	return best
}

func (w *World) direct(u *User, members []*Member) int {
	best := NoAccess
	for _, m := range members {
		if m.User == u && w.current(m.Expires) {
			best = max(best, m.Level)
		}
	}
	return best
}

// current reports whether a membership is valid on the world's date. expires is the first day
// without access, or "" (https://docs.gitlab.com/user/project/members/).
func (w *World) current(expires string) bool {
	return expires == "" || w.Time.UTC().Format(time.DateOnly) < expires
}
