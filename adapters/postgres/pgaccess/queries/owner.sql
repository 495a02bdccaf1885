-- The accounts of a workspace ($2 platform, $3 workspace; Discord's have none) that belong to an identity: an address ($4), or an account of a source ($5 in
-- small letters, $6). What the operator says of a person leads; else it is the account with the address. Served by the primary keys of source_address and
-- source_person, by identity_person, source_address_person and account_email.
with person as materialized (
    select a.source_id, a.person from source_address a where a.tenant_id = $1 and a.email = $4 and $4 <> ''
    union
    select p.source_id, p.id from source_person p join source s on s.tenant_id = p.tenant_id and s.id = p.source_id and s.kind = 'github'
    where p.tenant_id = $1 and p.source_id = $6 and lower(p.name) = $5 and $5 <> ''
), address as materialized (
    select $4::text as email where $4 <> ''
    union
    select a.email from person p join source_address a on a.tenant_id = $1 and a.source_id = p.source_id and a.person = p.person where $4 = ''
), said as materialized (
    select distinct i.workspace, i.account from person p
    join identity i on i.tenant_id = $1 and i.source_id = p.source_id and i.person = p.person and i.platform = $2 and i.workspace in ($3, '')
), matched as (
    select a.workspace, a.id as account, a.email, a.name from address m join account a on a.email = m.email and a.email <> ''
    where a.platform = $2 and a.workspace = $3 and a.full_member and not a.bot and not exists (select from said)
      -- Whoever shares an address is no one.
      and not exists (select from source_address x join source_address y on y.tenant_id = x.tenant_id and y.email = x.email and y.source_id = x.source_id and y.person <> x.person
                      where x.tenant_id = $1 and x.email = m.email)
      and not exists (select from identity i where i.tenant_id = $1 and i.source_id = $6 and i.platform = $2 and i.workspace = a.workspace and i.account = a.id)
), found as (
    select workspace, account, '' as email from said
    union all
    select workspace, account, email from matched
)
select f.workspace, f.account, f.email, coalesce(a.name, '')
from found f cross join identity_key k
left join account a on a.platform = $2 and a.workspace = f.workspace and a.id = f.account
where not exists (select from identity_forgotten g where g.tenant_id = $1
                  and g.digest = sha256(k.key || convert_to(concat_ws(chr(31), $1::text, $2::text, f.workspace, f.account), 'UTF8')))
order by f.workspace, f.account
