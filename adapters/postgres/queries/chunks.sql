-- Chunks by shard ($2) and id ($3), if the audience's principals ($4) may read them now. Served by the primary keys of chunk and document.
select c.shard, c.id, d.external_id, d.source_id, d.kind, d.title, d.url, d.updated_at, d.acl,
       c.ordinal, c.heading, c.anchor, c.text, c.start_rune, c.end_rune, c.tokens
from unnest($2::smallint[], $3::bigint[]) as w (shard, id)
join chunk c on c.tenant_id = $1 and c.shard = w.shard and c.id = w.id
join document d on d.tenant_id = c.tenant_id and d.shard = c.shard and d.id = c.document
where d.acl && $4::text[]
