-- Whether a turn that replica $1 could deliver ($2, $3: its platforms and workspaces) is not done and in quarantine (by turn_quarantine), or
-- is held by another one that has expired (the owners first, which are few, then their turns by turn_held; by turn_disturbed). Hardly ever true.
exists (
    select from turn q where q.quarantine <> '' and (q.state <> 'done' or q.disturbed)
      and ($2::text[] is null or q.platform = any ($2::text[])) and ($3::text[] is null or q.workspace = any ($3::text[])))
or exists (
    select from turn h where h.state in ('running', 'delivering')
      and h.owner = any (array(select r.id from replica r where r.expires_at <= statement_timestamp() and r.id <> $1::text))
      and ($2::text[] is null or h.platform = any ($2::text[])) and ($3::text[] is null or h.workspace = any ($3::text[])))
or exists (
    select from turn d where d.state = 'done' and d.disturbed and d.owner not in ('', $1::text)
      and ($2::text[] is null or d.platform = any ($2::text[])) and ($3::text[] is null or d.workspace = any ($3::text[]))
      and not exists (select from replica r where r.id = d.owner and r.expires_at > statement_timestamp()))
