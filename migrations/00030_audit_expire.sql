-- +goose Up
-- Everybody who could connect might remove entries of the audit trail that are older than a week: a function may be called by all roles unless
-- that is taken back. Those which write the trail may go on, whoever gave them that; "footnote migrate --grant" gives it to new ones.
-- +goose StatementBegin
do $$
declare
    writer oid;
begin
    revoke all on function audit_expire(text, interval, int) from public;
    for writer in
        select distinct a.grantee from pg_class c, aclexplode(c.relacl) a
        where c.oid = 'audit'::regclass and a.privilege_type = 'INSERT' and a.grantee not in (0, c.relowner)
    loop
        execute format('grant execute on function audit_expire(text, interval, int) to %s', writer::regrole);
    end loop;
end $$;
-- +goose StatementEnd

-- +goose Down
grant execute on function audit_expire(text, interval, int) to public;
