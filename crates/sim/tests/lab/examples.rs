//! Tests that run the examples.

#[path = "../../examples/driven_world.rs"]
mod driven_world;

#[test]
fn a_world_is_built_and_driven_in_less_than_sixty_lines() {
    assert!(include_str!("../../examples/driven_world.rs").lines().count() < 60);
    driven_world::main();
}
