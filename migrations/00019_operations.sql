-- +goose Up
-- How old a binary may be that works with this schema: the newest migration that it knows, at least. A migration that takes away or changes
-- what binaries use raises the number (deploy/upgrades.md); until then older ones go on, so that versions can be replaced one after the other.
create table schema_floor (
    one     boolean primary key default true check (one), -- there is one row
    version bigint not null
);
insert into schema_floor (version) values (19);

-- Roles that were given what answering needs. Each run of "footnote migrate" gives them the same of what it adds.
create table runtime_role (
    name       text primary key,
    granted_at timestamptz not null default clock_timestamp()
);

-- Only the owner of a table builds its indexes. These functions do it, with the owner's rights, for the role that answers; all that they take
-- is the number of a model, whose row says the rest.
-- +goose StatementBegin
create function build_vector_index(model_number int) returns boolean language plpgsql security definer as $$
declare
    m       embedding_model%rowtype;
    vectors bigint;
    kept    text;
begin
    -- Whoever builds holds the lock until it is done, and the others leave it to that one. The key is "hnsw" as bytes.
    if not pg_try_advisory_xact_lock(x'686e7377'::int, model_number) then
        return false;
    end if;
    select * into m from embedding_model where number = model_number;
    if not found then
        return false;
    end if;
    select count(*) into vectors from embedding where model = model_number;
    -- A graph that does not fit its memory builds many times slower. 64 MB at least, 1 GB at most; for this transaction only, so that it works
    -- through a pooler.
    perform set_config('maintenance_work_mem', least(greatest(
        vectors * (m.dimensions * case m.precision when 'vector' then 4 else 2 end + 400) / 1024, 65536), 1048576) || 'kB', true);
    kept := case m.precision when 'vector' then 'emb_full' else 'emb' end;
    -- The parameters are pgvector's own defaults, which measurements bear out for 16-bit vectors.
    execute format('create index if not exists %I on embedding using hnsw ((%I::%s(%s)) %s) with (m = 16, ef_construction = 64) where model = %s',
        'embedding_hnsw_' || m.number, kept, m.precision, m.dimensions, m.precision || '_ip_ops', m.number);
    update embedding_model set indexed = true where number = model_number;
    return true;
end $$;

create function drop_vector_index(model_number int) returns void language plpgsql security definer as $$
begin
    execute format('drop index if exists %I', 'embedding_hnsw_' || model_number);
end $$;

-- What they name is found where it is found now, whatever search path their caller sets, and never among somebody's temporary tables.
do $$
declare
    f text;
begin
    foreach f in array array['build_vector_index(int)', 'drop_vector_index(int)'] loop
        execute format('alter function %s set search_path = %s, pg_temp', f, current_setting('search_path'));
        execute format('revoke all on function %s from public', f);
    end loop;
end $$;
-- +goose StatementEnd

-- +goose Down
drop function drop_vector_index;
drop function build_vector_index;
drop table runtime_role;
drop table schema_floor;
