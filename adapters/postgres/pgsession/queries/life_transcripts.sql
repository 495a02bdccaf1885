with changed as (
    select s.tenant_id, s.platform, s.workspace, s.channel, s.thread, t.id as turn_id, q.id as message_id
    from session s
    join turn t on t.tenant_id = s.tenant_id and t.session_id = s.id
    join message q on q.tenant_id = t.tenant_id and q.turn_id = t.id and q.model_index = -1
    where s.tenant_id = $1 and s.platform = $2 and s.workspace = $3 and s.channel = $4 and ($5 = '' or s.thread = $5)
      and (length(t.platform_message), t.platform_message collate "C") > (length($6), $6)
), edited as ( -- an edit that waits for the end of an attempt
    update turn t
    set edited_files = (select coalesce(jsonb_agg(f), '[]') from jsonb_array_elements(t.edited_files::jsonb) f where f ->> 'ID' <> $7)::text
    from changed c where t.tenant_id = c.tenant_id and t.id = c.turn_id and t.edited_files is not null
), dropped as (
    delete from message_file f using changed c
    where f.tenant_id = c.tenant_id and f.message_id = c.message_id and f.file_id = $7
    returning c.platform, c.workspace, c.channel, c.thread
)
update thread t set caught_up = $8 from dropped d
where t.tenant_id = $1 and t.platform = d.platform and t.workspace = d.workspace and t.channel = d.channel and t.thread = d.thread
