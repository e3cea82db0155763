//! Definitions: at the top of a program, and in bodies.

use super::bindings;
use super::expand::{Expander, line_of};
use super::tree::Tree;
use crate::datum::{Datum, Name, Result, error};

/// A definition, or an expression between definitions.
pub struct Item {
    pub name: Option<Name>,
    definition: Definition,
    line: u32,
}

enum Definition {
    Value(Datum),
    /// Parameters and body.
    Function(Datum, Vec<Datum>),
}

impl Item {
    pub fn value(&self, expander: &mut Expander) -> Result<Tree> {
        match &self.definition {
            Definition::Value(datum) => {
                let tree = expander.tree(datum, self.line)?;
                Ok(self.named(tree))
            }
            Definition::Function(parameters, body) => {
                let name = self.name.as_deref().unwrap_or_default();
                expander.lambda(name, parameters, body, self.line)
            }
        }
    }

    /// A function that has no name gets that of its variable.
    fn named(&self, tree: Tree) -> Tree {
        match (tree, &self.name) {
            (Tree::Lambda(mut lambda), Some(name)) => {
                if let Some(lambda) = std::rc::Rc::get_mut(&mut lambda)
                    && lambda.name.is_empty()
                {
                    lambda.name = name.clone();
                }
                Tree::Lambda(lambda)
            }
            (tree, _) => tree,
        }
    }
}

/// Adds the items that a datum is.
pub fn items(
    expander: &mut Expander,
    datum: &Datum,
    line: u32,
    items: &mut Vec<Item>,
) -> Result<()> {
    let line = line_of(datum, line);
    let head = match datum {
        Datum::Pair(pair) => pair
            .car
            .name()
            .filter(|name| expander.scope.local(name).is_none()),
        _ => None,
    };
    let operands = || match datum {
        Datum::Pair(pair) => pair.cdr.elements().unwrap_or_default(),
        _ => Vec::new(),
    };
    match head.map(|name| &**name) {
        Some("begin") => {
            for operand in operands() {
                self::items(expander, &operand, line, items)?;
            }
        }
        Some("define") => items.push(definition(&operands(), line)?),
        Some("define-values") => {
            for definition in several(&operands(), line)? {
                self::items(expander, &definition, line, items)?;
            }
        }
        Some("define-record-type") => {
            for definition in record_type(&operands(), line)? {
                self::items(expander, &definition, line, items)?;
            }
        }
        _ => items.push(Item {
            name: None,
            definition: Definition::Value(datum.clone()),
            line,
        }),
    }
    Ok(())
}

fn definition(operands: &[Datum], line: u32) -> Result<Item> {
    let (name, definition) = match operands {
        [Datum::Symbol(name), value] => (name, Definition::Value(value.clone())),
        [Datum::Pair(head), body @ ..] if !body.is_empty() => match &head.car {
            Datum::Symbol(name) => {
                let definition = Definition::Function(head.cdr.clone(), body.to_vec());
                (name, definition)
            }
            _ => return error(line, "`define` wants a name"),
        },
        _ => {
            return error(
                line,
                "`define` wants a name and a value, or parameters and a body",
            );
        }
    };
    Ok(Item {
        name: Some(name.clone()),
        definition,
        line,
    })
}

/// The body of a function: definitions and expressions.
pub fn body(expander: &mut Expander, data: &[Datum], line: u32) -> Result<Tree> {
    let mut found = Vec::new();
    for datum in data {
        items(expander, datum, line, &mut found)?;
    }
    let here = expander.scope.here();
    let count = found.iter().rposition(|item| item.name.is_some());
    let expressions = found.split_off(count.map_or(0, |last| last + 1));
    if expressions.is_empty() {
        return error(line, "a body ends in an expression");
    }
    let mut variables = Vec::new();
    for item in &found {
        variables.push(match &item.name {
            Some(name) => expander.scope.bind(name),
            None => expander.scope.fresh(),
        });
    }
    // Each definition is around the next one.
    let (bindings, mut sequence) = expander.nested(found.len(), line, |e| {
        let values = found.iter().map(|item| item.value(e));
        let values = values.collect::<Result<Vec<Tree>>>()?;
        let bindings: Vec<_> = variables.into_iter().zip(values).collect();
        let sequence = expressions.iter().map(|item| item.value(e));
        Ok((bindings, sequence.collect::<Result<Vec<Tree>>>()?))
    })?;
    expander.scope.leave(here);
    let body = match sequence.len() {
        1 => sequence.remove(0),
        _ => Tree::Sequence(sequence),
    };
    Ok(bindings::letrec(&mut expander.scope, bindings, body))
}

/// The definitions that `define-values` stands for: of a list, and of its parts.
fn several(operands: &[Datum], line: u32) -> Result<Vec<Datum>> {
    let [formals, value] = operands else {
        return error(line, "`define-values` wants names and an expression");
    };
    let list = |items: &[Datum]| Datum::list(items, line);
    let symbol = Datum::symbol;
    let (names, rest) = formals.prefix();
    let first = names.first().unwrap_or(&rest).name();
    let all = symbol(&format!("%values:{}", first.map_or("", |name| name)));
    let value = list(&[symbol("%values->list"), value.clone()]);
    let mut definitions = vec![list(&[symbol("define"), all.clone(), value])];
    let count = names.len();
    let tail = matches!(rest, Datum::Symbol(_)).then_some((count, (rest, "%nth-tail")));
    let names = names.into_iter().map(|name| (name, "%nth")).enumerate();
    for (index, (name, part)) in names.chain(tail) {
        let part = list(&[symbol(part), all.clone(), Datum::Integer(index as i64)]);
        definitions.push(list(&[symbol("define"), name, part]));
    }
    Ok(definitions)
}

/// The definitions that `define-record-type` stands for.
fn record_type(operands: &[Datum], line: u32) -> Result<Vec<Datum>> {
    let [name, constructor, predicate, fields @ ..] = operands else {
        return error(
            line,
            "`define-record-type` wants a name, a constructor and a predicate",
        );
    };
    let Some(name) = name.name() else {
        return error(line, "the type of a record has no name");
    };
    let list = |items: &[Datum]| Datum::list(items, line);
    let symbol = Datum::symbol;
    let define = |name: &Datum, value: Datum| list(&[symbol("define"), name.clone(), value]);
    let function = |name: &Datum, parameters: &[Datum], body: Datum| {
        let head = Datum::pair(name.clone(), list(parameters), line);
        list(&[symbol("define"), head, body])
    };
    let kind = symbol(&format!("%type:{name}"));
    let quoted = list(&[symbol("quote"), symbol(name)]);
    let mut definitions = vec![define(&kind, list(&[symbol("%vector"), quoted]))];
    let fields: Vec<Vec<Datum>> = fields
        .iter()
        .map(|field| field.elements().unwrap_or_else(|| vec![field.clone()]))
        .collect();
    let names: Vec<Datum> = fields
        .iter()
        .filter_map(|field| field.first().cloned())
        .collect();
    if let Datum::Pair(head) = constructor {
        let parameters = head.cdr.elements().unwrap_or_default();
        let mut parts = vec![symbol("%record"), kind.clone()];
        for field in &names {
            let is_given = field
                .name()
                .is_some_and(|name| parameters.iter().any(|parameter| parameter.is_symbol(name)));
            parts.push(if is_given {
                field.clone()
            } else {
                Datum::Boolean(false)
            });
        }
        definitions.push(function(&head.car, &parameters, list(&parts)));
    }
    let record = symbol("%r");
    if !matches!(predicate, Datum::Boolean(false)) {
        let test = list(&[symbol("%record?"), record.clone(), kind.clone()]);
        definitions.push(function(predicate, std::slice::from_ref(&record), test));
    }
    for (index, field) in (1..).zip(&fields) {
        let index = Datum::Integer(index);
        if let Some(get) = field.get(1) {
            let body = list(&[
                symbol("%record-ref"),
                record.clone(),
                kind.clone(),
                index.clone(),
            ]);
            definitions.push(function(get, std::slice::from_ref(&record), body));
        }
        if let Some(set) = field.get(2) {
            let place = symbol(&format!("%place:{}", set.name().map_or("", |name| name)));
            let value = symbol("%v");
            definitions.push(define(
                &place,
                list(&[symbol("%vector"), kind.clone(), index]),
            ));
            let body = list(&[symbol("%record-set!"), record.clone(), place, value.clone()]);
            definitions.push(function(set, &[record.clone(), value], body));
        }
    }
    Ok(definitions)
}
