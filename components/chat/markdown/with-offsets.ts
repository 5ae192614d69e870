export interface Placed<Item> {
  readonly item: Item
  /** Where the item begins in its text: a React key that stays put while the text grows at its end. */
  readonly offset: number
}

export function withOffsets<Item>(items: readonly Item[], lengthOf: (item: Item) => number): Placed<Item>[] {
  let offset = 0
  return items.map(item => {
    const placed = { item, offset }
    offset += Math.max(1, lengthOf(item))
    return placed
  })
}
