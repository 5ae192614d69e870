/**
 * Row level security without a policy, and no grants: on Supabase the roles `anon` and `authenticated` can reach every
 * table of the schema over HTTP unless each is protected. The owner, as whom the server connects, is exempt. Every
 * table and every function is created with this.
 */
export function protectTable(table: string): readonly string[] {
  return [
    `alter table ${table} enable row level security`,
    `revoke all on table ${table} from public`,
    revokeFromRoles(`table ${table}`),
  ]
}

export function protectSequence(sequence: string): readonly string[] {
  return [`revoke all on sequence ${sequence} from public`, revokeFromRoles(`sequence ${sequence}`)]
}

/** By default anybody can call a function. */
export function protectFunction(signature: string): readonly string[] {
  return [`revoke all on function ${signature} from public`, revokeFromRoles(`function ${signature}`)]
}

function revokeFromRoles(object: string): string {
  return `
do $$
declare
  role_name name;
begin
  for role_name in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format('revoke all on ${object} from %I', role_name);
  end loop;
end
$$`
}
