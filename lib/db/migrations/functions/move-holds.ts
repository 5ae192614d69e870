/**
 * Holds to place and holds to resolve, in one transaction: what a busy server asks for at one moment costs it one
 * round trip and one commit. `p_requests` and the answer are arrays of the same order; a request that brings a
 * credential places its hold, any other resolves it. All their accounts are locked first, in ascending order.
 */
export const MOVE_HOLDS = `
create or replace function move_holds(p_requests jsonb) returns jsonb language plpgsql as $$
declare
  v_results jsonb := '[]';
  v_request jsonb;
begin
  if jsonb_array_length(p_requests) > 1 then
    perform 1 from account a
      where a.id = any (array(
        select case r ->> 'credential_kind'
          when 'credit_id' then (select c.id from account c where c.credit_id_hash = r ->> 'secret_hash')
          when 'api_key' then (select k.account_id from api_key k where k.secret_hash = r ->> 'secret_hash')
          else (select h.account_id from hold h where h.id = (r ->> 'hold_id')::uuid)
        end
        from jsonb_array_elements(p_requests) r))
      order by a.id for update;
  end if;
  for v_index in 0 .. jsonb_array_length(p_requests) - 1 loop
    v_request := p_requests -> v_index;
    v_results := v_results || case when v_request ? 'secret_hash' then place_hold(v_request)
      else resolve_hold(v_request) end;
  end loop;
  return v_results;
end
$$`
