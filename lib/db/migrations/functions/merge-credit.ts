import { NANO_MAX } from '@/lib/money/nano'

/**
 * Moves what one account has available into a person's credit, once per pair and reference; if the account owes, its
 * debt. The account is named by its credit_id, or by a key if it has no credit_id, as an earlier version left some;
 * otherwise a key can only spend, and so can a key with a limit.
 *
 * Both accounts, and those that they were merged with before, are locked in ascending order, as in move_holds: two
 * merges in opposite directions wait for each other instead of deadlocking. Held money stays, for the answers that are
 * being written. Only an amount above zero leaves a transfer; otherwise the reference stays unused.
 *
 * A credit with nothing left has then been **left** for the other: nobody may ever look at it again. (If a key alone
 * holds the account, somebody still has the key.) `closes` ends the credit (close_credit), also while a part is held,
 * since somebody else could hold a part of it for ever. The merge can be repeated until the rest has moved, but a closed
 * credit gives nothing to any other, nor its later debts.
 */
export const MERGE_INTO_CREDIT = `
create or replace function merge_into_credit(p_request jsonb) returns jsonb language plpgsql as $$
declare
  v_from_hash text := p_request ->> 'from_secret_hash';
  v_into_hash text := p_request ->> 'into_credit_id_hash';
  v_is_by_credit_id boolean := p_request ->> 'from_kind' = 'credit_id';
  v_closes boolean := coalesce((p_request ->> 'closes')::boolean, false);
  v_from_id uuid;
  v_from_is_whole boolean;
  v_into_id uuid;
  v_from account;
  v_into account;
  v_reference text;
  v_moved bigint;
  v_carried bigint;
  v_is_closed boolean := false;
begin
  if v_is_by_credit_id then
    select a.id, true, a.credit_id_hash <> v_from_hash into v_from_id, v_from_is_whole, v_is_closed
      from account a where a.credit_id_hash in (v_from_hash, closed_hash(v_from_hash));
  else
    select a.id, a.credit_id_hash is null and k.usage_limit_nano is null into v_from_id, v_from_is_whole
      from api_key k join account a on a.id = k.account_id
      where k.secret_hash = v_from_hash
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp());
  end if;
  select a.id into v_into_id from account a where a.credit_id_hash = v_into_hash;
  if v_from_id is null or v_into_id is null or v_is_closed and closed_for(v_from_id) <> v_into_id then
    return '{"outcome": "unknown_credential"}';
  end if;
  if v_from_id = v_into_id then
    return '{"outcome": "same_account"}';
  end if;
  -- Nothing gives an account a credit_id later, so this needs no lock.
  if not v_from_is_whole then
    return '{"outcome": "key_only_spends"}';
  end if;

  perform lock_merged(array[v_from_id, v_into_id]);
  -- Read under the locks: whoever came first has moved what was there.
  select a.* into v_from from account a where a.id = v_from_id;
  select a.* into v_into from account a where a.id = v_into_id;
  if v_into.credit_id_hash <> v_into_hash
    or v_is_by_credit_id and not v_is_closed and v_from.credit_id_hash <> v_from_hash
  then
    -- One was closed while this waited: a merge that comes now is too late.
    return merge_into_credit(p_request);
  end if;
  v_reference := 'merge/' || v_from_id || '/' || v_into_id || '/' || (p_request ->> 'reference');
  select coalesce(sum(t.amount_nano) filter (where t.leg = 0), 0) into v_moved
    from transfer t where t.reference = v_reference having count(*) > 0;
  if found then
    return jsonb_build_object('outcome', 'already_merged', 'moved_nano', v_moved::text,
      'balance_nano', v_into.balance_nano::text, 'is_closed', v_is_closed and v_from.balance_nano = 0);
  end if;

  v_moved := least(v_from.balance_nano - v_from.held_nano, ${NANO_MAX});
  v_carried := case when v_is_closed then 0 else least(v_from.debt_nano, ${NANO_MAX}) end;
  perform move_merged(v_from_id, v_into_id, v_reference, v_moved, v_carried);
  if v_closes and v_is_by_credit_id and not v_is_closed then
    perform close_credit(v_from_id, v_into_id);
    v_is_closed := true;
  elsif v_is_by_credit_id and not v_is_closed and v_from.balance_nano = v_moved then
    insert into leaving (account_id, for_account_id, left_at) values (v_from_id, v_into_id, clock_timestamp());
  end if;
  select a.* into v_into from account a where a.id = v_into_id;
  return jsonb_build_object('outcome', 'merged', 'moved_nano', v_moved::text,
    'balance_nano', v_into.balance_nano::text, 'is_closed', v_is_closed and v_from.balance_nano = v_moved);
end
$$`

/**
 * Moves money from one account to another, or, if it has none, a debt, and makes them one merge group. Both are locked,
 * with all that they were merged with.
 */
export const MOVE_MERGED = `
create or replace function move_merged(
  p_from_id uuid, p_into_id uuid, p_reference text, p_moved bigint, p_carried bigint
) returns void language plpgsql as $$
declare
  v_from_group_id uuid := (select a.merge_group_id from account a where a.id = p_from_id);
  v_group_id uuid := (select coalesce(a.merge_group_id, a.id) from account a where a.id = p_into_id);
begin
  if p_moved > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values (p_reference, 0, p_from_id, p_into_id, p_moved, 'merge', '{}');
    update account a set balance_nano = a.balance_nano - p_moved, merged_nano = a.merged_nano - p_moved
      where a.id = p_from_id;
    update account a
      set balance_nano = a.balance_nano + p_moved - least(a.debt_nano, p_moved),
        debt_nano = a.debt_nano - least(a.debt_nano, p_moved), merged_nano = a.merged_nano + p_moved
      where a.id = p_into_id;
  elsif p_carried > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values (p_reference, 1, p_into_id, p_from_id, p_carried, 'merge', '{}');
    update account a set debt_nano = a.debt_nano - p_carried, merged_nano = a.merged_nano + p_carried
      where a.id = p_from_id;
    update account a
      set balance_nano = a.balance_nano - least(a.balance_nano - a.held_nano, p_carried),
        debt_nano = a.debt_nano + p_carried - least(a.balance_nano - a.held_nano, p_carried),
        merged_nano = a.merged_nano - p_carried
      where a.id = p_into_id;
  else
    return;
  end if;
  update account a set merge_group_id = v_group_id
    where a.id in (p_from_id, p_into_id) or a.merge_group_id = v_from_group_id;
  perform collect_debts(v_group_id, p_reference);
end
$$`
