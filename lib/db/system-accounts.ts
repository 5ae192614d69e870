/** The accounts that are nobody's credit, by the ids that the first migration gave them. */
export const SYSTEM_ACCOUNT_IDS = {
  gateway: '00000000-0000-4000-8000-000000000001',
  promotion: '00000000-0000-4000-8000-000000000002',
  operator: '00000000-0000-4000-8000-000000000003',
  revenue: '00000000-0000-4000-8000-000000000004',
  operator_loss: '00000000-0000-4000-8000-000000000005',
} as const
