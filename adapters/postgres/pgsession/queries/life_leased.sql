-- Turns for a replica ($1), $9 at most, of those in the quarantine $7; empty for those in none. It follows "with apart as (…)," of Lease.
-- $2, $3: the platforms and workspaces that it can deliver to, null for all; $4: REDELIVERY_MAX_AGE in microseconds, 0 for no limit;
-- $5: whether $6 counts; $6: the turns that the replica knows it holds; $8: see apart.
-- Turns that nobody holds, or that the replica does not know it holds, by turn_held.
lost as materialized (
    select t.tenant_id, t.id from turn t
    where t.state in ('running', 'delivering') and t.quarantine = $7 and not (select yes from apart)
      and t.not_before <= statement_timestamp()
      and ($2::text[] is null or t.platform = any ($2::text[]))
      and ($3::text[] is null or t.workspace = any ($3::text[]))
      and (t.owner = '' or t.owner = $1::text and (
            $5::boolean and not t.id = any ($6::text[]::uuid[])
            or exists (select from replica r where r.id = $1::text and r.expires_at <= statement_timestamp())))
    order by t.sequence limit $9::int
    for update of t skip locked
),
-- One that was written over after it was done, by turn_disturbed, of which there are hardly ever any.
spoilt as materialized (
    select t.tenant_id, t.id from turn t
    where t.state = 'done' and t.disturbed and t.replaced_by is null and t.quarantine = $7 and not (select yes from apart)
      and t.not_before <= statement_timestamp()
      and ($2::text[] is null or t.platform = any ($2::text[]))
      and ($3::text[] is null or t.workspace = any ($3::text[]))
      and not exists (select from lost)
      and (t.owner = '' or $5::boolean and t.owner = $1::text and not t.id = any ($6::text[]::uuid[]))
    order by t.sequence limit $9::int
    for update of t skip locked
),
-- The oldest queued turns, by turn_queued, that no other one of their session holds up.
queued as materialized (
    select t.tenant_id, t.id from turn t
    where t.state = 'queued' and t.quarantine = $7 and not (select yes from apart)
      and t.not_before <= statement_timestamp()
      and ($2::text[] is null or t.platform = any ($2::text[]))
      and ($3::text[] is null or t.workspace = any ($3::text[]))
      and not exists (select from lost) and not exists (select from spoilt)
      and not {held up t}
    order by t.sequence limit $9::int
    for update of t skip locked
),
-- One that was put behind another while this statement began has another number by now than in its snapshot, in which the other one is not to be
-- seen: it is left for the next lease.
t as (
    update turn u set
        state      = {next u},
        attempt    = u.attempt + 1,
        owner      = $1::text,
        leased_revision = u.revision,
        started_at = coalesce(u.started_at, clock_timestamp())
    from (select * from lost union all select * from spoilt union all select * from queued) c
    where u.tenant_id = c.tenant_id and u.id = c.id and {from u}
      and (u.state <> 'queued' or u.number = (select b.number from turn b where b.tenant_id = u.tenant_id and b.id = u.id))
    returning u.*
)
