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
 * holds the account, somebody still has the key.) Payments requested before and made later are passed on (`from_kind`
 * is `left`), up to `most_nano`, to wherever the money is by then (credit_account). Debts are not passed on: somebody who
 * was given a poisoned credit loses that credit and no more.
 *
 * `closes` ends a credit, because it leaked: its secret becomes another that nobody has (closed_hash), its keys and its
 * refill link end, and whatever it still gets is passed on for ever. Otherwise somebody who knows it could pay into it
 * and take the payment back from the one that it was left for, or have that one answer for their losses. It ends at once,
 * since somebody else could hold a part of it for ever. So the merge can be repeated until the rest has moved, but a
 * closed credit gives nothing to any other, nor its later debts.
 */
export const MERGE_INTO_CREDIT = `
create or replace function merge_into_credit(p_request jsonb) returns jsonb language plpgsql as $$
declare
  v_from_id uuid;
  v_from_is_whole boolean;
  v_into_id uuid;
  v_from account;
  v_into account;
  v_reference text;
  v_moved bigint;
  v_carried bigint;
  v_closes boolean := coalesce((p_request ->> 'closes')::boolean, false);
  v_is_closed boolean := false;
begin
  if p_request ->> 'from_kind' = 'left' then
    v_from_id := p_request ->> 'from_account_id';
    v_from_is_whole := true;
    v_into_id := p_request ->> 'into_account_id';
  elsif p_request ->> 'from_kind' = 'credit_id' then
    select a.id, true, a.credit_id_hash <> p_request ->> 'from_secret_hash'
      into v_from_id, v_from_is_whole, v_is_closed
      from account a
      where a.credit_id_hash in (p_request ->> 'from_secret_hash', closed_hash(p_request ->> 'from_secret_hash'));
  else
    select a.id, a.credit_id_hash is null and k.usage_limit_nano is null into v_from_id, v_from_is_whole
      from api_key k join account a on a.id = k.account_id
      where k.secret_hash = p_request ->> 'from_secret_hash'
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp());
  end if;
  if v_into_id is null then
    select a.id into v_into_id from account a where a.credit_id_hash = p_request ->> 'into_credit_id_hash';
  end if;
  if v_from_id is null or v_into_id is null or v_is_closed and not exists (
    select from leaving l where l.account_id = v_from_id and l.for_account_id = v_into_id and l.left_at = 'infinity')
  then
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
  if p_request ->> 'from_kind' <> 'left' and v_into.credit_id_hash <> p_request ->> 'into_credit_id_hash'
    or p_request ->> 'from_kind' = 'credit_id' and not v_is_closed
      and v_from.credit_id_hash <> p_request ->> 'from_secret_hash'
  then
    -- One was closed while this waited: a merge that comes now is too late.
    return merge_into_credit(p_request);
  end if;
  -- A payment that is led on has a name of its own kind: no caller's merge can have taken it.
  v_reference := case when p_request ->> 'from_kind' = 'left' then 'merge/left/' else 'merge/' end
    || v_from_id || '/' || v_into_id || '/' || (p_request ->> 'reference');
  select coalesce(sum(t.amount_nano) filter (where t.leg = 0), 0) into v_moved
    from transfer t where t.reference = v_reference having count(*) > 0;
  if found then
    return jsonb_build_object('outcome', 'already_merged', 'moved_nano', v_moved::text,
      'balance_nano', v_into.balance_nano::text, 'is_closed', v_is_closed and v_from.balance_nano = 0);
  end if;

  v_moved := least(v_from.balance_nano - v_from.held_nano, (p_request ->> 'most_nano')::bigint, ${NANO_MAX});
  v_carried := case when p_request ->> 'from_kind' = 'left' or v_is_closed then 0
    else least(v_from.debt_nano, ${NANO_MAX}) end;
  if v_moved > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values (v_reference, 0, v_from_id, v_into_id, v_moved, 'merge', '{}');
    update account a set balance_nano = a.balance_nano - v_moved, merged_nano = a.merged_nano - v_moved
      where a.id = v_from_id;
    update account a
      set balance_nano = a.balance_nano + v_moved - least(a.debt_nano, v_moved),
        debt_nano = a.debt_nano - least(a.debt_nano, v_moved), merged_nano = a.merged_nano + v_moved
      where a.id = v_into_id;
  elsif v_carried > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values (v_reference, 1, v_into_id, v_from_id, v_carried, 'merge', '{}');
    update account a set debt_nano = a.debt_nano - v_carried, merged_nano = a.merged_nano + v_carried
      where a.id = v_from_id;
    update account a
      set balance_nano = a.balance_nano - least(a.balance_nano - a.held_nano, v_carried),
        debt_nano = a.debt_nano + v_carried - least(a.balance_nano - a.held_nano, v_carried),
        merged_nano = a.merged_nano - v_carried
      where a.id = v_into_id;
  end if;
  if v_moved > 0 or v_carried > 0 then
    update account a set merge_group_id = coalesce(v_into.merge_group_id, v_into_id)
      where a.id in (v_from_id, v_into_id) or a.merge_group_id = v_from.merge_group_id;
    perform collect_debts(coalesce(v_into.merge_group_id, v_into_id), v_reference);
  end if;
  if p_request ->> 'from_kind' = 'credit_id' and not v_is_closed and (v_closes or v_from.balance_nano = v_moved) then
    insert into leaving (account_id, for_account_id, left_at)
      values (v_from_id, v_into_id, case when v_closes then 'infinity' else clock_timestamp() end);
    if v_closes then
      update account a set credit_id_hash = closed_hash(a.credit_id_hash) where a.id = v_from_id;
      update api_key k set revoked_at = clock_timestamp() where k.account_id = v_from_id and k.revoked_at is null;
      delete from refill_link l where l.account_id = v_from_id;
      v_is_closed := true;
    end if;
  end if;
  select a.* into v_into from account a where a.id = v_into_id;
  return jsonb_build_object('outcome', 'merged', 'moved_nano', v_moved::text,
    'balance_nano', v_into.balance_nano::text, 'is_closed', v_is_closed and v_from.balance_nano = v_moved);
end
$$`

/** More than anybody merges one after the other. */
const STEP_COUNT_MAX = 100

/**
 * Where money would be by now if it had come to an account when it was asked for: the account was left for another, that
 * one later for a third. Each step is later than the one before, so the way has an end; it is at most a hundred steps
 * long, because whoever merges two credits to and fro all day would make a payment take longer than it may. Whoever
 * still has an account that was left can merge into it or out of it as they like: the first time after the payment was
 * asked for decides. What nobody asked for, as a gift of the operator's, goes the last way (`p_asked_at` is null).
 */
export const LEADS_TO = `
create or replace function leads_to(p_account_id uuid, p_asked_at timestamptz) returns uuid language plpgsql stable as $$
declare
  v_account_id uuid := p_account_id;
  v_leaving leaving;
  v_step_count integer := 0;
begin
  select l.* into v_leaving from leaving l
    where l.account_id = v_account_id and (p_asked_at is null or l.left_at >= p_asked_at)
    order by case when p_asked_at is null then -l.id else l.id end limit 1;
  while v_leaving.id is not null and v_step_count < ${STEP_COUNT_MAX} loop
    v_account_id := v_leaving.for_account_id;
    v_step_count := v_step_count + 1;
    select l.* into v_leaving from leaving l
      where l.account_id = v_account_id and l.id > v_leaving.id order by l.id limit 1;
  end loop;
  return v_account_id;
end
$$`

/** What a closed credit has in place of the hash of its secret: found by a repeated merge alone. */
export const CLOSED_HASH = `
create or replace function closed_hash(p_secret_hash text) returns text language sql immutable as $$
  select encode(sha256(('closed/' || p_secret_hash)::bytea), 'hex')
$$`
