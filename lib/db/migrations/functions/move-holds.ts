import { SYSTEM_ACCOUNT_IDS } from '../../system-accounts'

const MOVED =
  'rows from (jsonb_array_elements(p_requests), jsonb_array_elements(v_answers)) as m (request, answer)'

/**
 * Places and resolves holds in one transaction: everything that a busy server requests at one moment costs it one round
 * trip and one commit. `p_requests` and the answer are arrays in the same order; a request with a credential places its
 * hold, any other resolves one. All accounts are locked first, in ascending order, together with those that they were
 * merged with if one of these has a debt, since what becomes available pays it (collect_debts).
 *
 * Each request is decided by itself, in order; then all rows are written at once, because a statement costs PostgreSQL
 * several times as much as a row. A request that repeats an earlier one in the batch has to see what that one wrote, so
 * from there on a second batch follows within the first. So nobody can make the batch fail, and thereby slow it down,
 * with a repetition.
 *
 * Only a few rows are read, each by its key, and a plan is kept for a long time: one that was made while a table was
 * nearly empty must not scan all of it later.
 */
export const MOVE_HOLDS = `
create or replace function move_holds(p_requests jsonb) returns jsonb language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  c_revenue constant uuid := '${SYSTEM_ACCOUNT_IDS.revenue}';
  c_operator_loss constant uuid := '${SYSTEM_ACCOUNT_IDS.operator_loss}';
  v_account_ids uuid[];
  v_now timestamptz(3);
  v_answers jsonb := '[]';
  v_answer jsonb;
  v_request jsonb;
  v_is_batched jsonb := case when jsonb_array_length(p_requests) > 1 then '{"is_batched": true}' else '{}' end;
  v_name text;
  v_names text[] := '{}';
  v_placed_count integer := 0;
  v_resolved_count integer := 0;
  v_written_count integer;
begin
  if jsonb_array_length(p_requests) > 1 then
    v_account_ids := array(
      select case r ->> 'credential_kind'
        when 'credit_id' then (select c.id from account c where c.credit_id_hash = r ->> 'secret_hash')
        when 'api_key' then (select k.account_id from api_key k where k.secret_hash = r ->> 'secret_hash')
        else (select h.account_id from hold h where h.id = (r ->> 'hold_id')::uuid)
      end
      from jsonb_array_elements(p_requests) r);
    if exists (
      select from account a join account d on d.merge_group_id = a.merge_group_id
        where a.id = any (v_account_ids) and d.debt_nano > 0 and d.merged_nano < 0
    ) then
      perform lock_merged(v_account_ids);
    else
      perform 1 from account a where a.id = any (v_account_ids) order by a.id for update;
    end if;
  end if;
  v_now := clock_timestamp();
  for v_index in 0 .. jsonb_array_length(p_requests) - 1 loop
    v_request := p_requests -> v_index;
    v_name := lower(coalesce(v_request ->> 'idempotency_key_hash', v_request ->> 'hold_id'));
    exit when v_name = any (v_names);
    v_names := v_names || v_name;
    if v_request ? 'secret_hash' then
      v_answer := take_hold(v_request, v_now);
      v_placed_count := v_placed_count + (v_answer ? 'risk_nano')::integer;
    else
      v_answer := end_hold(v_request || v_is_batched, v_now);
      v_resolved_count := v_resolved_count + (v_answer ->> 'outcome' = 'resolved')::integer;
    end if;
    v_answers := v_answers || v_answer;
  end loop;

  if v_placed_count > 0 then
    insert into hold (id, account_id, key_id, amount_nano, risk_nano, idempotency_key_hash, request_hash,
        query_type, query_source, model_id, price_snapshot, created_at, expires_at)
      select (m.request ->> 'hold_id')::uuid, (m.answer ->> 'account_id')::uuid, (m.answer ->> 'key_id')::uuid,
          (m.answer ->> 'amount_nano')::bigint, (m.answer ->> 'risk_nano')::bigint,
          m.request ->> 'idempotency_key_hash', m.request ->> 'request_hash',
          m.request ->> 'query_type', m.request ->> 'query_source',
          m.request ->> 'model_id', m.request -> 'price_snapshot', v_now,
          v_now + make_interval(secs => (m.request ->> 'ttl_seconds')::integer)
        from ${MOVED}
        where m.answer ? 'risk_nano';
  end if;

  if v_resolved_count > 0 then
    -- Not asked whether its state is open: planned when few were, that would go through all that are.
    update hold h
      set state = m.answer ->> 'state', usage = coalesce(nullif(m.answer -> 'usage', 'null'), m.request -> 'usage'),
        checkpoint = null, resolved_at = v_now,
        charged_nano = (m.answer ->> 'charged_nano')::bigint, loss_nano = (m.answer ->> 'loss_nano')::bigint
      from ${MOVED}
      where m.answer ->> 'outcome' = 'resolved' and h.id = (m.request ->> 'hold_id')::uuid and h.resolved_at is null;
    get diagnostics v_written_count = row_count;
    if v_written_count <> v_resolved_count then
      raise exception 'a hold would be ended twice';
    end if;
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      select 'hold/' || (m.request ->> 'hold_id')::uuid, t.leg, t.debit_account_id, c_revenue, t.amount_nano,
          t.kind, '{}'
        from ${MOVED}
          cross join lateral (values
            (0, (m.answer ->> 'account_id')::uuid, (m.answer ->> 'charged_nano')::bigint, 'charge'),
            (1, c_operator_loss, (m.answer ->> 'loss_nano')::bigint, 'loss')
          ) as t (leg, debit_account_id, amount_nano, kind)
        where m.answer ->> 'outcome' = 'resolved' and t.amount_nano > 0;
  end if;
  if jsonb_array_length(v_answers) < jsonb_array_length(p_requests) then
    return v_answers || move_holds(jsonb_path_query_array(
      p_requests, '$[$done to last]', jsonb_build_object('done', jsonb_array_length(v_answers))));
  end if;
  return v_answers;
end
$$`
