-- +goose Up
-- Searches narrow vectors down by sketches in memory and have PostgreSQL compare what is left (deploy/decisions/0007): nothing reads the HNSW
-- indexes any more, which cost disk, memory and time with every write. Binaries of the version before compare every vector while they are not
-- replaced, and what they call builds nothing.
-- +goose StatementBegin
do $$
declare
    m int;
begin
    for m in select number from embedding_model loop
        execute format('drop index if exists %I', 'embedding_hnsw_' || m);
    end loop;
end $$;
-- +goose StatementEnd
update embedding_model set indexed = false where indexed;
-- +goose StatementBegin
create or replace function build_vector_index(model_number int) returns boolean language plpgsql security definer as $$
begin
    return false;
end $$;
-- +goose StatementEnd
-- +goose StatementBegin
do $$
begin
    execute format('alter function build_vector_index(int) set search_path = %s, pg_temp', current_setting('search_path'));
end $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
create or replace function build_vector_index(model_number int) returns boolean language plpgsql security definer as $$
declare
    m       embedding_model%rowtype;
    vectors bigint;
    kept    text;
begin
    if not pg_try_advisory_xact_lock(x'686e7377'::int, model_number) then
        return false;
    end if;
    select * into m from embedding_model where number = model_number;
    if not found then
        return false;
    end if;
    select count(*) into vectors from embedding where model = model_number;
    perform set_config('maintenance_work_mem', least(greatest(
        vectors * (m.dimensions * case m.precision when 'vector' then 4 else 2 end + 400) / 1024, 65536), 1048576) || 'kB', true);
    kept := case m.precision when 'vector' then 'emb_full' else 'emb' end;
    execute format('create index if not exists %I on embedding using hnsw ((%I::%s(%s)) %s) with (m = 16, ef_construction = 64) where model = %s',
        'embedding_hnsw_' || m.number, kept, m.precision, m.dimensions, m.precision || '_ip_ops', m.number);
    update embedding_model set indexed = true where number = model_number;
    return true;
end $$;
-- +goose StatementEnd
-- +goose StatementBegin
do $$
begin
    execute format('alter function build_vector_index(int) set search_path = %s, pg_temp', current_setting('search_path'));
end $$;
-- +goose StatementEnd
