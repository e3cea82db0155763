// Programs for `make javascript`: objects, calls through classes, floats, strings and trees. Each
// takes a size and returns a number that depends on all that it did.

class Task {
  constructor(id) {
    this.id = id;
    this.next = null;
    this.queue = [];
    this.count = 0;
  }
  take(packet) {
    this.queue.push(packet);
  }
  step() {
    const packet = this.queue.shift();
    if (!packet) return false;
    this.count += packet.value;
    packet.value = (packet.value * 31 + this.id) % 1009;
    packet.hops--;
    if (packet.hops > 0) this.next.take(packet);
    return true;
  }
}

class Counting extends Task {
  step() {
    this.count++;
    return super.step();
  }
}

// Tasks in a ring pass packets on.
function scheduler(rounds) {
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    const tasks = [];
    for (let i = 0; i < 6; i++) tasks.push(i % 2 ? new Task(i) : new Counting(i));
    tasks.forEach((task, i) => {
      task.next = tasks[(i + 1) % 6];
    });
    for (let i = 0; i < 20; i++) tasks[i % 6].take({ value: i, hops: 30 });
    let busy = true;
    while (busy) {
      busy = false;
      for (const task of tasks) if (task.step()) busy = true;
    }
    for (const task of tasks) sum = (sum * 7 + task.count) % 1000003;
  }
  return sum;
}

class Variable {
  constructor(value) {
    this.value = value;
    this.by = null;
  }
}

class Constraint {
  constructor(output, strength) {
    this.output = output;
    this.strength = strength;
  }
  isChosen() {
    return this.output.by === this;
  }
  run() {}
}

class Equal extends Constraint {
  constructor(input, output, strength) {
    super(output, strength);
    this.input = input;
  }
  run() {
    this.output.value = this.input.value;
  }
}

class Scale extends Equal {
  constructor(input, factor, offset, output, strength) {
    super(input, output, strength);
    this.factor = factor;
    this.offset = offset;
  }
  run() {
    this.output.value = this.input.value * this.factor + this.offset;
  }
}

// A chain of constraints, the strongest of which decide.
function constraints(rounds) {
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    const variables = [];
    for (let i = 0; i < 40; i++) variables.push(new Variable(i));
    const all = [new Constraint(variables[0], 3)];
    for (let i = 1; i < 40; i++) {
      const [input, output] = [variables[i - 1], variables[i]];
      all.push(i % 3 ? new Equal(input, output, i % 5) : new Scale(input, 3, i, output, i % 4));
    }
    for (const constraint of all) {
      const { output, strength } = constraint;
      if (!output.by || output.by.strength < strength) output.by = constraint;
    }
    for (let edit = 0; edit < 10; edit++) {
      variables[0].value = edit;
      for (const constraint of all) if (constraint.isChosen()) constraint.run();
      sum = (sum + variables[39].value) % 1000003;
    }
  }
  return sum;
}

class Vector {
  constructor(x, y, z) {
    this.x = x;
    this.y = y;
    this.z = z;
  }
  plus(o) {
    return new Vector(this.x + o.x, this.y + o.y, this.z + o.z);
  }
  minus(o) {
    return new Vector(this.x - o.x, this.y - o.y, this.z - o.z);
  }
  times(k) {
    return new Vector(this.x * k, this.y * k, this.z * k);
  }
  dot(o) {
    return this.x * o.x + this.y * o.y + this.z * o.z;
  }
  unit() {
    return this.times(1 / Math.sqrt(this.dot(this)));
  }
}

class Sphere {
  constructor(centre, radius, mirror) {
    this.centre = centre;
    this.radius = radius;
    this.mirror = mirror;
  }
  hit(origin, direction) {
    const to = this.centre.minus(origin);
    const along = to.dot(direction);
    if (along < 0) return -1;
    const rest = this.radius * this.radius - to.dot(to) + along * along;
    return rest < 0 ? -1 : along - Math.sqrt(rest);
  }
}

// Rays into a scene of mirroring spheres.
function rays(size) {
  const spheres = [
    new Sphere(new Vector(0, 0, 6), 1.5, 0.3),
    new Sphere(new Vector(1.5, 0.5, 4), 0.7, 0.5),
    new Sphere(new Vector(-1.2, -0.4, 5), 0.9, 0.2),
  ];
  const light = new Vector(-1, 2, -2).unit();
  function trace(origin, direction, depth) {
    let nearest = null;
    let distance = 1e9;
    for (const sphere of spheres) {
      const at = sphere.hit(origin, direction);
      if (at > 1e-4 && at < distance) {
        distance = at;
        nearest = sphere;
      }
    }
    if (!nearest) return 0.1 + 0.1 * direction.y;
    const point = origin.plus(direction.times(distance));
    const normal = point.minus(nearest.centre).unit();
    const colour = Math.max(0, normal.dot(light)) * 0.8;
    if (depth === 0) return colour;
    const mirrored = direction.minus(normal.times(2 * normal.dot(direction)));
    return colour + nearest.mirror * trace(point, mirrored, depth - 1);
  }
  const eye = new Vector(0, 0, 0);
  let sum = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const direction = new Vector((x - size / 2) / size, (y - size / 2) / size, 1);
      sum += trace(eye, direction.unit(), 3);
    }
  }
  return Math.round(sum * 1000);
}

// Regular expressions over a text.
function patterns(rounds) {
  const line = 'a brown fox 2024-11-23 jumps over foo@bar.example and 192.168.0.1 lazy dogs, ';
  const text = line.repeat(20);
  const all = [
    /\b\w+@\w+\.\w+\b/g,
    /(\d{4})-(\d\d)-(\d\d)/g,
    /(\d+)\.(\d+)\.(\d+)\.(\d+)/g,
    /[aeiou]{2}/gi,
    /\s+(over|lazy)\s+/g,
  ];
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    for (const pattern of all) {
      let match;
      while ((match = pattern.exec(text))) {
        sum = (sum * 3 + match.index + match[0].length) % 1000003;
      }
    }
    sum += text.replace(/o(.)/g, '$1o').length;
  }
  return sum;
}

class Leaf {
  constructor(key, value) {
    this.key = key;
    this.value = value;
    this.left = null;
    this.right = null;
  }
}

class Tree {
  constructor() {
    this.root = null;
  }
  // Brings the key, or one beside it, to the root.
  splay(key) {
    const outside = new Leaf(0, 0);
    let [left, right, at] = [outside, outside, this.root];
    while (at.key !== key) {
      const side = key < at.key ? 'left' : 'right';
      const other = key < at.key ? 'right' : 'left';
      let next = at[side];
      if (!next) break;
      if (next.key !== key && key < next.key === key < at.key) {
        at[side] = next[other];
        next[other] = at;
        at = next;
        next = at[side];
        if (!next) break;
      }
      if (key < at.key) {
        right.left = at;
        right = at;
      } else {
        left.right = at;
        left = at;
      }
      at = next;
    }
    left.right = at.left;
    right.left = at.right;
    at.left = outside.right;
    at.right = outside.left;
    this.root = at;
  }
  insert(key, value) {
    const leaf = new Leaf(key, value);
    if (this.root) {
      this.splay(key);
      const [side, other] = key > this.root.key ? ['left', 'right'] : ['right', 'left'];
      if (this.root.key === key) {
        this.root.value = value;
        return;
      }
      leaf[side] = this.root;
      leaf[other] = this.root[other];
      this.root[other] = null;
    }
    this.root = leaf;
  }
  find(key) {
    this.splay(key);
    return this.root.key === key ? this.root.value : null;
  }
}

// Insertions into a splay tree, and searches.
function splay(count) {
  const tree = new Tree();
  let seed = 12345;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    tree.insert(seed % 5000, { items: [i, seed], text: '' + i });
    const found = tree.find((seed >> 8) % 5000);
    if (found) sum = (sum + found.items[0] + found.text.length) % 1000003;
  }
  return sum;
}

export function run(name, size) {
  return { scheduler, constraints, rays, patterns, splay }[name](size);
}
