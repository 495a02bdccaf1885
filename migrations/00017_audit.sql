-- +goose Up
-- Who is meant by the audit trail. Entries name people by an alias alone, and this table says whose it is: to forget somebody is to delete
-- their rows here, which leaves the trail as it was and says no more who they were. A direct message is a place that belongs to one person,
-- so its channel and thread stand here as well, and not in the trail.
create table audit_person (
    tenant_id text not null references tenant (id),
    alias     uuid not null,
    platform  text not null, -- 'host': an account of the machine that a command ran on
    person    text not null,
    workspace text not null default '',
    channel   text not null default '',
    thread    text not null default '',
    primary key (tenant_id, alias),
    unique (tenant_id, platform, person, workspace, channel, thread)
);

-- The audit trail: one entry for each turn that ended and each change that somebody made, and no word of what was asked or answered.
create table audit (
    tenant_id   text not null references tenant (id),
    sequence    bigint not null generated always as identity,
    at          timestamptz not null default clock_timestamp(),
    deed        text not null,
    who         uuid, -- audit_person.alias, also after that row is gone; null: the program, or nobody says
    platform    text not null default '',
    workspace   text not null default '',
    channel     text not null default '',
    thread      text not null default '',
    direct      boolean not null default false,
    private     boolean not null default false,
    turn_id     uuid,
    turn_number int, -- a question that is edited keeps its turn, which then ends once under each number
    outcome     text not null default '',
    took        bigint not null default 0, -- microseconds from intake to outcome
    models      jsonb not null default '[]',
    documents   jsonb not null default '[]',
    details     jsonb not null default '{}', -- of a change: what it was
    primary key (tenant_id, sequence)
);
create unique index audit_turn_once on audit (tenant_id, turn_id, turn_number) where deed = 'turn';
create index audit_at on audit (tenant_id, at, sequence);
create index audit_who on audit (tenant_id, who);

-- Append-only for every role, the owner included. What retention removes, audit_expire removes: the trigger lets a deletion pass only where
-- that function says so and the table's owner runs it, as which the function runs whoever calls it.
-- +goose StatementBegin
create function audit_refuse() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' and current_setting('footnote.audit_expiry', true) = 'on'
        and current_user = (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid)
    then
        return null;
    end if;
    raise exception 'the audit trail is append-only: its entries are neither changed nor deleted, but by "footnote prune" when their time has passed (AUDIT_RETENTION)'
        using errcode = 'insufficient_privilege';
end
$$;
-- +goose StatementEnd
create trigger audit_append_only before update or delete or truncate on audit for each statement execute function audit_refuse();

-- Removes the oldest entries that are older than keep, most of them at a time, and returns how many. Nothing of the last seven days goes,
-- whatever it is called with, so that who breaks into the program cannot wipe out the traces of it. Its tables are looked for in the schema
-- of this migration, before any temporary ones.
-- +goose StatementBegin
do $do$
begin
    execute format($create$
        create function audit_expire(tenant text, keep interval, most int) returns int
        language plpgsql security definer set search_path = %I, pg_catalog, pg_temp as $$
        declare
            gone int;
        begin
            perform set_config('footnote.audit_expiry', 'on', true);
            delete from audit a using (
                select sequence from audit where tenant_id = tenant and at < clock_timestamp() - greatest(keep, interval '7 days')
                order by at, sequence limit most
            ) old where a.tenant_id = tenant and a.sequence = old.sequence;
            get diagnostics gone = row_count;
            perform set_config('footnote.audit_expiry', '', true);
            return gone;
        end
        $$
    $create$, current_schema());
end
$do$;
-- +goose StatementEnd

-- +goose Down
drop function audit_expire(text, interval, int);
drop table audit;
drop function audit_refuse();
drop table audit_person;
