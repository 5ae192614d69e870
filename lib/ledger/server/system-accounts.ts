import type { CreditInput } from '../domain/credits'

/** The accounts that no person holds; the first migration creates them with these ids. */
export const SYSTEM_ACCOUNT_IDS = {
  gateway: '00000000-0000-4000-8000-000000000001',
  promotion: '00000000-0000-4000-8000-000000000002',
  operator: '00000000-0000-4000-8000-000000000003',
  revenue: '00000000-0000-4000-8000-000000000004',
  operatorLoss: '00000000-0000-4000-8000-000000000005',
} as const satisfies Record<CreditInput['source'] | 'revenue' | 'operatorLoss', string>
