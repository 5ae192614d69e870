import { expect, jest, test } from '@jest/globals'
import { createListeners } from '../storage/external-store'
import { keepTidy } from './keep-tidy'

function setUp() {
  const { subscribe, notify } = createListeners()
  const later: (() => void)[] = []
  let isTooLarge = false
  const cleanUp = jest.fn(async () => 3)
  const moved = Promise.withResolvers<number>()
  const onChecked = jest.fn()
  const onError = jest.fn()
  const end = keepTidy({
    history: { subscribe, cleanUp },
    areConversationsTooLarge: () => isTooLarge,
    onMoved: moved.resolve,
    onChecked,
    onError,
    runLater: task => later.push(task),
  })
  const runLater = () => {
    for (const task of later.splice(0)) task()
  }
  return { notify, later, runLater, cleanUp, moved, onChecked, onError, end, grow: () => (isTooLarge = true) }
}

test('small conversations are not cleaned up', () => {
  const { notify, runLater, cleanUp, onChecked } = setUp()
  notify()
  runLater()
  expect(cleanUp).not.toHaveBeenCalled()
  expect(onChecked).toHaveBeenCalledTimes(1)
})

test('too large conversations are cleaned up once for many changes, with a notice', async () => {
  const { notify, later, runLater, cleanUp, moved, onChecked, grow } = setUp()
  grow()
  for (let change = 0; change < 10; change += 1) notify()
  expect(later).toHaveLength(1)
  runLater()
  expect(onChecked).not.toHaveBeenCalled()
  expect(await moved.promise).toBe(3)
  expect(cleanUp).toHaveBeenCalledTimes(1)
  expect(onChecked).toHaveBeenCalledTimes(1)
})

test('nothing is cleaned up after it was stopped', () => {
  const { runLater, cleanUp, grow, end } = setUp()
  grow()
  end()
  runLater()
  expect(cleanUp).not.toHaveBeenCalled()
})
