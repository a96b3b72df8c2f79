// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IUniswapV4Router } from "../src/interfaces/IUniswapV4Router.sol";
import { UniswapV4Scene } from "./support/UniswapV4Scene.sol";

/// @notice Swaps of several accounts, all of which allow the router everything, with gifts and attempts of a thief between them.
contract UniswapV4Handler is UniswapV4Scene {
    uint256 public constant USERS = 3;
    uint256 private constant STOCK = 1e27;

    address[] public users;
    mapping(address => uint256) public spent;
    uint256 public swaps;
    uint256 public gifts;
    uint256 public thefts;
    address public immutable thief = makeAddr("thief");
    address public immutable recipient = makeAddr("recipient");

    constructor() {
        _scene();
        for (uint256 i; i < USERS; ++i) {
            address user = makeAddr(string.concat("user ", vm.toString(i)));
            users.push(user);
            coin.mint(user, STOCK);
            vm.prank(user);
            coin.approve(address(router), type(uint256).max);
        }
    }

    function swap(uint256 who, uint256 amount, uint256 way, uint256 least) external {
        address user = users[who % USERS];
        amount = bound(amount, 1000, 1e22);
        way %= 3;
        address to = way == 0 ? address(other) : way == 1 ? address(0) : address(weth);
        IUniswapV4Router.ExactInput memory terms =
            _swapOf(address(coin), to, amount, recipient, _one(way == 0 ? to : address(0)));
        terms.minAmountOut = bound(least, 1, amount);
        uint256 before = _held(to);
        vm.prank(user);
        try router.exactInput(terms) returns (uint256 out) {
            spent[user] += amount;
            ++swaps;
            require(out >= terms.minAmountOut && _held(to) - before == out, "least output");
        } catch { }
    }

    /// @dev The thief names a user's tokens in every way that the router has.
    function steal(uint256 who, uint256 amount) external {
        address user = users[who % USERS];
        IUniswapV4Router.ExactInput memory terms =
            _swapOf(address(coin), address(other), bound(amount, 1000, 1e22), thief, _one(address(other)));
        bytes[2] memory attempts = [
            abi.encodeCall(router.exactInput, (terms)), abi.encodeCall(router.unlockCallback, (abi.encode(user, terms)))
        ];
        for (uint256 i; i < attempts.length; ++i) {
            vm.prank(thief);
            (bool ok,) = address(router).call(attempts[i]);
            if (ok) ++thefts;
        }
    }

    /// @dev Tokens that somebody leaves in the router stay there, and help no swap.
    function give(uint256 amount) external {
        amount = bound(amount, 1, 1e20);
        coin.mint(address(router), amount);
        gifts += amount;
    }

    function check() external view {
        for (uint256 i; i < USERS; ++i) {
            assertEq(coin.balanceOf(users[i]), STOCK - spent[users[i]], "only a caller pays");
        }
        assertEq(coin.balanceOf(address(router)), gifts, "nothing stays, nothing leaves");
        assertEq(other.balanceOf(address(router)), 0);
        assertEq(weth.balanceOf(address(router)), 0);
        assertEq(address(router).balance, 0);
        assertEq(other.balanceOf(thief), 0);
        assertEq(thefts, 0);
    }

    function _held(address token) private view returns (uint256) {
        if (token == address(0)) return recipient.balance;
        return token == address(weth) ? weth.balanceOf(recipient) : other.balanceOf(recipient);
    }
}

contract UniswapV4RouterInvariants is UniswapV4Scene {
    UniswapV4Handler private handler;

    function setUp() public {
        handler = new UniswapV4Handler();
        bytes4[] memory selectors = new bytes4[](3);
        (selectors[0], selectors[1], selectors[2]) =
        (handler.swap.selector, handler.steal.selector, handler.give.selector);
        targetContract(address(handler));
        targetSelector(FuzzSelector(address(handler), selectors));
    }

    function invariant_NothingStaysAndOnlyTheCallerPays() public view {
        handler.check();
    }

    function test_TheHandlerSwaps() public {
        for (uint256 i; i < 3; ++i) {
            handler.swap(i, 1e20, i, 1);
        }
        handler.steal(0, 1e20);
        handler.give(5);
        assertEq(handler.swaps(), 3);
        handler.check();
    }
}
