-- Whether a turn that is not done is in quarantine (by turn_quarantine), or is held by a replica other than $1 that has expired (the owners
-- first, which are few, then their turns by turn_held; by turn_disturbed). Hardly ever true.
exists (select from turn q where q.quarantine <> '' and (q.state <> 'done' or q.disturbed))
or exists (
    select from turn h where h.state in ('running', 'delivering')
      and h.owner = any (array(select r.id from replica r where r.expires_at <= statement_timestamp() and r.id <> $1::text)))
or exists (
    select from turn d where d.state = 'done' and d.disturbed and d.owner not in ('', $1::text)
      and not exists (select from replica r where r.id = d.owner and r.expires_at > statement_timestamp()))
