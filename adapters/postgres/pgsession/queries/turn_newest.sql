-- The turn ($2) of a tenant ($1), or of one that was retried the newest; by the primary key.
with recursive chain as (
    select t.id, t.replaced_by from turn t where t.tenant_id = $1 and t.id = $2
    union all
    select t.id, t.replaced_by from chain c join turn t on t.tenant_id = $1 and t.id = c.replaced_by
)
select id::text from chain where replaced_by is null
