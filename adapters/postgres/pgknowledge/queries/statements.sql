-- What is stated of some entities ($2) and some documents ($3 shards, $4 rows), in some relations ($5, null: all), by documents that the audience's principals
-- ($6) may read now, of some sources ($7, null: all) and documents ($8, null: all), dated from $9 to before $10; with $12 as objects alone, with $15 as subjects. Of entities
-- that are several people's ($13) it is what documents state that call them by one of some names ($14). Newest first, and links after all else: a page has many. Served by edge_subject, edge_object and the primary keys.
with about as (
    select g.* from unnest($2::bigint[]) as w (id) join edge g on g.tenant_id = $1 and g.subject = w.id and w.id <> 0 and not $12
    union
    select g.* from unnest($2::bigint[]) as w (id) join edge g on g.tenant_id = $1 and g.object = w.id and w.id <> 0 and not $15
    union
    select g.* from unnest($3::smallint[], $4::bigint[]) as w (shard, id) join edge g on g.tenant_id = $1 and g.shard = w.shard and g.document = w.id and (not $12 or g.object = 0) and (not $15 or g.subject = 0)
)
select g.relation, g.shard, g.chunk, g.at, d.id, d.external_id, d.source_id, d.kind, d.title, d.url, d.updated_at,
       g.subject, coalesce(s.kind, 'document'), coalesce(s.key, ''),
       coalesce((select a.shown from alias a where a.tenant_id = $1 and a.shard = g.shard and a.document = g.document and a.entity = g.subject and g.subject <> 0 order by a.shown <> lower(a.shown) desc, length(a.shown) desc, a.shown limit 1), s.key, ''),
       g.object, coalesce(o.kind, 'document'), coalesce(o.key, ''),
       coalesce((select a.shown from alias a where a.tenant_id = $1 and a.shard = g.shard and a.document = g.document and a.entity = g.object and g.object <> 0 order by a.shown <> lower(a.shown) desc, length(a.shown) desc, a.shown limit 1), o.key, '')
from about g
cross join lateral (
    select * from document d where d.tenant_id = $1 and d.shard = g.shard and d.id = g.document
      and g.chunk >= d.first_chunk and g.chunk < d.first_chunk + greatest(d.chunk_count, 1) and {may_read}
      and ($7::text[] is null or d.source_id = any($7::text[])) and ($8::text[] is null or d.external_id = any($8::text[])) offset 0
) d
left join entity s on s.tenant_id = $1 and s.id = g.subject
left join entity o on o.tenant_id = $1 and o.id = g.object
where not exists (
    select from unnest($13::bigint[]) as p (id) where p.id in (g.subject, g.object) and not exists (
        select from alias a where a.tenant_id = $1 and a.shard = g.shard and a.document = g.document and a.entity = p.id and a.name = any($14::bigint[])))
  and (o.kind is distinct from 'file' or g.object = any($2::bigint[])) -- which files somebody changed is told where one of them is asked about
  and ($5::text[] is null or g.relation = any($5::text[]))
  and ($9::timestamptz is null or g.at >= $9) and ($10::timestamptz is null or g.at < $10)
order by g.relation = 'links to', g.at desc nulls last, g.shard, g.chunk, g.relation, g.subject, g.object
limit $11
