with changed as (
    select t.tenant_id, t.id as turn_id, q.id as message_id
    from session s
    join turn t on t.tenant_id = s.tenant_id and t.session_id = s.id
    join message q on q.tenant_id = t.tenant_id and q.turn_id = t.id and q.model_index = -1
    where s.tenant_id = $1 and s.platform = $2 and s.workspace = $3 and s.channel = $4 and s.thread = $5
), edited as ( -- an edit that waits for the end of an attempt
    update turn t
    set edited_files = (select coalesce(jsonb_agg(f), '[]') from jsonb_array_elements(t.edited_files::jsonb) f where f ->> 'ID' <> $6)::text
    from changed c where t.tenant_id = c.tenant_id and t.id = c.turn_id and t.edited_files is not null
), dropped as (
    delete from message_file f using changed c
    where f.tenant_id = c.tenant_id and f.message_id = c.message_id and f.file_id = $6
)
update thread set caught_up = $7
where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and thread = $5
