/** What the practice models can show. A word in the question selects it (compose-answer). */
export const CODE_ANSWER = `Here is a function that splits a price the way a till does:

\`\`\`ts
const COINS = [100, 25, 10, 5, 1]

/** The fewest coins that add up to an amount in cents. */
export function change(cents: number): number[] {
  const coins: number[] = []
  let rest = cents
  for (const coin of COINS) {
    while (rest >= coin) {
      coins.push(coin)
      rest -= coin
    }
  }
  return coins
}
\`\`\`

And the same idea in Python:

\`\`\`python
def change(cents: int) -> list[int]:
    coins = []
    for coin in (100, 25, 10, 5, 1):
        count, cents = divmod(cents, coin)
        coins += [coin] * count
    return coins
\`\`\`

Call it with \`change(68)\` and you get \`[25, 25, 10, 5, 1, 1, 1]\`.
`

export const TABLE_ANSWER = `What a dollar buys, roughly, from each practice model:

| Model | Input, per million tokens | Output, per million tokens | Answers of 300 words |
|:------|--------------------------:|---------------------------:|---------------------:|
| Penny | $0.10 | $0.40 | about 6,000 |
| Quarter | $1.00 | $4.00 | about 600 |
| Dollar | $15.00 | $75.00 | about 30 |
| Free | $0.00 | $0.00 | as many as you like |

The exact cost stands under each answer.
`

export const LIST_ANSWER = `Three things worth trying here:

1. **Press stop** while an answer is being written.
   - You pay for the words that arrived, and for no others.
2. **Reload the page** in the middle of an answer.
   - The rest of it is waiting for you.
3. **Send a picture** to Sandbox Quarter.
   - [x] PNG, JPEG and WebP all work
   - [ ] films do not
`

export const MATH_ANSWER = `Compound interest, written out:

$$A = P\\left(1 + \\frac{r}{n}\\right)^{nt}$$

With $P = 100$, $r = 0.05$ and $n = 12$, after ten years $A \\approx 164.70$. An amount such as $5 or $10 in a sentence stays an amount.
`

export const MARKDOWN_ANSWER = `# A heading

A paragraph with **bold**, *italic*, ~~struck out~~ and \`inline code\`, and a [link](https://example.com/).

> A quotation, which may
> run over two lines.

---

${LIST_ANSWER}
${TABLE_ANSWER}
${CODE_ANSWER}`

const LONG_PARAGRAPHS = [
  'A token is a piece of a word. Models read and write tokens, and that is what they charge for, so a long question costs more than a short one, and a long answer more than either.',
  'Before an answer begins, the most that it can cost is set aside from your balance. When it ends, the exact cost is taken and the rest comes back. That is why your balance can dip for a moment.',
  'If an answer fails before its first word, it costs nothing. If it fails in the middle, or you stop it, you pay for the part that arrived.',
  'With little credit left an answer is cut to what the credit buys, rather than refused. You see the end of it, and you may add a little and ask for the rest.',
  'Conversations stay in your browser. The server sees a question while it answers it, and keeps counts, never contents.',
]
const LONG_ROUND_COUNT = 12

export const LONG_ANSWER = Array.from({ length: LONG_ROUND_COUNT }, (_, round) =>
  [`## Part ${round + 1}`, ...LONG_PARAGRAPHS].join('\n\n'),
).join('\n\n')

export const TRY_THESE = `Try asking me for:

- a **table**, a **list**, some **code**, **math** or all of **markdown**
- something **long**, or something **slow**, and press stop in the middle
- an answer that should **fail midway**, to see what it costs you (only what arrived)
`
